from tests.whole_tree.unused_code import names_in


def test_names_in_the_code_of_a_template_are_uses_and_its_words_are_not() -> None:
    template = (
        '<p class="card">{% if game.is_over %}{{ _("Read it") }}{# old #}{% endif %} here</p>'
    )
    assert set(names_in(template)) == {"if", "game", "is_over", "_", "endif"}
