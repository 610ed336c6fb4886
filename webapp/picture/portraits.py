"""The faces of the roles, drawn in a box of 96 by 96: a gold-digger under a lamp, a saboteur in the shadow of a hood."""

from functools import cache

from engine.cards import Role
from webapp.picture.palette import Palette


@cache
def portrait(role: Role, palette: Palette) -> str:
    """Draw the face of a role in a round window."""
    light = role_light(role, palette)
    return (
        f'<circle cx="48" cy="48" r="46" fill="{palette.portrait_ground}"/>'
        f"{glow(light)}{face(role, palette)}"
        f'<circle cx="48" cy="48" r="46" fill="none" stroke="{light}" stroke-width="3"/>'
    )


@cache
def face(role: Role, palette: Palette) -> str:
    """Draw the face of a role without anything behind it."""
    if role == "digger":
        return _digger_head(palette) + _helmet(palette)
    return _hood(palette) + _saboteur_face(palette) + _lit_fuse(palette)


def role_light(role: Role, palette: Palette) -> str:
    """Return the colour of the light in which a role is seen."""
    return palette.gold if role == "digger" else palette.signal_red


def glow(light: str) -> str:
    """Draw the light behind a face."""
    return f'<g fill="{light}"><circle cx="48" cy="42" r="40" opacity=".16"/><circle cx="48" cy="38" r="30" opacity=".2"/></g>'


def _digger_head(palette: Palette) -> str:
    beard = f'fill="{palette.beard}" stroke="{palette.portrait_line}" stroke-width="2" stroke-linejoin="round"'
    return (
        f'<path d="M19 44c-2 9-2 16 1 22l4-1c0 7 3 12 8 16l4-2c3 6 7 9 12 11c5-2 9-5 12-11l4 2c5-4 8-9 8-16l4 1c3-6 3-13 1-22z" {beard}/>'
        f'<g fill="{palette.skin}" stroke="{palette.portrait_line}" stroke-width="2"><circle cx="22" cy="50" r="6"/><circle cx="74" cy="50" r="6"/>'
        '<path d="M25 40h46v15q-9 8-23 8t-23-8z"/></g>'
        f'<path d="M29 56q7-5 13 0M67 56q-7-5-13 0" fill="none" stroke="{palette.skin_shade}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M38 69q10 9 20 0q-3 9-10 9t-10-9z" fill="{palette.portrait_line}"/><path d="M41 71q7 4 14 0l-1 2q-6 2-12 0z" fill="{palette.gold_glint}"/>'
        f'<path d="M48 60c-5-4-17-3-23 6c7 6 18 6 23 1c5 5 16 5 23-1c-6-9-18-10-23-6z" {beard}/>'
        f'<ellipse cx="48" cy="56" rx="8" ry="6.5" fill="{palette.skin_shade}" stroke="{palette.portrait_line}" stroke-width="2"/>'
        f'<path d="M44 53.5q2-2 4.5-1.5" fill="none" stroke="{palette.skin}" stroke-width="2" stroke-linecap="round"/>'
        f'<g fill="{palette.portrait_line}"><circle cx="36" cy="49.5" r="3.4"/><circle cx="60" cy="49.5" r="3.4"/></g>'
        f'<g fill="{palette.gold_glint}"><circle cx="37.3" cy="48.2" r="1.3"/><circle cx="61.3" cy="48.2" r="1.3"/></g>'
        f'<path d="M36 78l3 6M48 81v6M60 78l-3 6M26 69l4 6M70 69l-4 6" fill="none" stroke="{palette.portrait_line}" stroke-width="1.6" stroke-linecap="round" opacity=".55"/>'
    )


def _helmet(palette: Palette) -> str:
    metal = f'fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="2.5" stroke-linejoin="round"'
    return (
        f'<path d="M20 38C20 20 32 10 48 10s28 10 28 28z" {metal}/>'
        f'<path d="M27 34C28 25 33 19 39 16" fill="none" stroke="{palette.gold_glint}" stroke-width="3.5" stroke-linecap="round"/>'
        f'<path d="M13 38q35-8 70 0q0 7-7 7q-28-6-56 0q-7 0-7-7z" {metal}/>'
        f'<circle cx="48" cy="25" r="10" fill="{palette.iron}" stroke="{palette.portrait_line}" stroke-width="2.5"/>'
        f'<circle cx="48" cy="25" r="6.5" fill="{palette.gold_glint}"/>'
    )


def _hood(palette: Palette) -> str:
    return (
        f'<path d="M46 5C27 11 15 33 12 58q-1 13 5 22q13 12 31 12t31-12q6-9 5-22C81 33 68 12 46 5z" fill="{palette.hood}" stroke="{palette.portrait_line}" stroke-width="2.5" stroke-linejoin="round"/>'
        f'<path d="M46 6q12 8 8 18M22 38q-5 12-5 28M75 40q4 12 4 26" fill="none" stroke="{palette.hood_shade}" stroke-width="4" stroke-linecap="round"/>'
        f'<path d="M48 23c-17 0-26 14-26 31c0 18 11 29 26 29s26-11 26-29c0-17-9-31-26-31z" fill="{palette.portrait_line}"/>'
    )


def _saboteur_face(palette: Palette) -> str:
    return (
        f'<path d="M27 57q21 9 42 0q0 24-21 30q-21-6-21-30z" fill="{palette.dark_beard}"/>'
        f'<path d="M30 52q8 4 18 4t18-4q2 10-3 16q-7 5-15 5t-15-5q-5-6-3-16z" fill="{palette.skin_shade}" opacity=".8"/>'
        f'<path d="M26 43l19 7q-1 6-8 6q-8-1-11-13zM70 43l-19 7q1 6 8 6q8-1 11-13z" fill="{palette.gold}"/>'
        f'<path d="M39 48.5l2 6M57 48.5l-2 6" stroke="{palette.portrait_line}" stroke-width="3" stroke-linecap="round"/>'
        f'<path d="M23 38l22 9M73 38l-22 9" stroke="{palette.dark_beard}" stroke-width="5" stroke-linecap="round"/>'
        f'<path d="M45 54q-3 6 0 8q3 2 6 0q3-2 0-8z" fill="{palette.skin}"/>'
        f'<path d="M32 66q13 6 32-2q-2 11-15 12q-13 0-17-10z" fill="{palette.portrait_line}"/>'
        f'<path d="M34 67.5q13 4 28-2l-1.5 3.5q-13 5-24.5 2z" fill="{palette.gold_glint}"/>'
        f'<path d="M42 69l.5 4M48 69v4.5M54 68l-.5 4" stroke="{palette.portrait_line}" stroke-width="1.2"/>'
    )


def _lit_fuse(palette: Palette) -> str:
    """Draw a stick of powder whose fuse burns."""
    return (
        f'<path d="M60 86l7-17l10 4l-7 17z" fill="{palette.signal_red}" stroke="{palette.portrait_line}" stroke-width="2.5" stroke-linejoin="round"/>'
        f'<path d="M73 70q1-8 6-9" fill="none" stroke="{palette.skin}" stroke-width="2.5" stroke-linecap="round"/>'
        f'<path d="M81 50l2 6 6-1-4 5 4 5-6-1-3 6-1-6-6 0 4-4-3-5 6 1z" fill="{palette.gold}" stroke="{palette.gold_edge}" stroke-width="1" stroke-linejoin="round"/>'
    )
