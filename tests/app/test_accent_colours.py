import pytest

from webapp.kernel.colours import DARK_COLOURS, LIGHT_COLOURS, MIN_CONTRAST, accent_from, contrast


@pytest.mark.parametrize("colour", ["#7a4a12", "#000000", "#0b5394", "#a3201a", "#4b0082"])
def test_accent_is_readable_on_light_and_dark_screens(colour: str) -> None:
    accent = accent_from(colour)
    assert accent is not None
    for shade, colours in ((accent.light, LIGHT_COLOURS), (accent.dark, DARK_COLOURS)):
        for other in ("background", "surface", "sunken", "on_accent"):
            assert contrast(shade, colours[other]) >= MIN_CONTRAST


@pytest.mark.parametrize(
    "colour", ["#ffdd00", "#ffffff", "#8fbc8f", "red", "", "#12345", "#GGGGGG"]
)
def test_pale_colours_and_other_texts_are_no_accent(colour: str) -> None:
    assert accent_from(colour) is None


def test_contrast_of_black_and_white_is_the_largest() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#123456", "#123456") == pytest.approx(1)
