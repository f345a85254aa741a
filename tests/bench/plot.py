"""The plot of tokens-in per turn, on a logarithmic scale: one SVG for light pages and one for dark ones."""

import math
from html import escape
from typing import Any

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 196, 54, 44
OURS = "ledger"
TWINS = ("ledger-functions",)
"""Rows whose router sees the very same prompts as another's."""
# Paired light and dark strokes, told apart by lightness and dash too, so that they survive printing and colour blindness.
STROKES = (
    ("#6e7781", "#8b949e", ""),
    ("#0969da", "#58a6ff", ""),
    ("#8250df", "#bc8cff", "6 3"),
    ("#0550ae", "#79c0ff", "2 3"),
    ("#9a6700", "#d29922", ""),
    ("#bc4c00", "#f0883e", ""),
    ("#116329", "#56d364", "6 3"),
    ("#4d2d00", "#e3b341", "2 3"),
    ("#953800", "#ffa657", "8 2 2 2"),
)
INKS = {"light": ("#1f2328", "#59636e", "#d1d9e0"), "dark": ("#e6edf3", "#9198a1", "#3d444d")}
HERO = ("#cf222e", "#ff7b72", "")


def draw(rows: list[dict[str, Any]], turns: int, theme: str) -> str:
    """Return the SVG for the rows of `turns` turns, in the `light` or `dark` theme."""
    lines = {row["peer"]: row["series"][:turns] for row in rows if row["turns"] == turns and row["peer"] not in TWINS}
    low = 10 ** math.floor(math.log10(min(min(series) for series in lines.values())))
    high = max(max(series) for series in lines.values()) * 1.15

    def x(turn: float) -> float:
        return LEFT + (turn - 1) / (turns - 1) * (WIDTH - LEFT - RIGHT)

    def y(tokens: float) -> float:
        return HEIGHT - BOTTOM - math.log(tokens / low) / math.log(high / low) * (HEIGHT - TOP - BOTTOM)

    grid = [step * 10**power for power in range(1, 7) for step in (1, 3) if low <= step * 10**power <= high]
    body = [_text(LEFT, 24, "Tokens into the router, per turn", "title"), _text(LEFT, 41, "the same scripted work; logarithmic scale", "note")]
    for value in grid:
        body.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        body.append(_text(LEFT - 8, y(value) + 4, f"{value:,}", "note end"))
    for turn in sorted({1, *range(10, turns + 1, 10)}):
        body.append(_text(x(turn), HEIGHT - BOTTOM + 20, str(turn), "note middle"))
    body.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "turn", "note middle"))
    order = sorted(lines, key=lambda name: -lines[name][-1])
    labels = _spread([y(lines[name][-1]) for name in order], 16.0, HEIGHT - BOTTOM + 8)
    styles: list[tuple[int, str]] = []
    for index, name in sorted(enumerate(order), key=lambda item: item[1] == OURS):
        light, dark, dash = HERO if name == OURS else STROKES[index % len(STROKES)]
        styles.append((index, dark if theme == "dark" else light))
        points = " ".join(f"{x(turn):.1f},{y(tokens):.1f}" for turn, tokens in enumerate(lines[name], 1))
        hero = " hero" if name == OURS else ""
        body.append(f'<polyline class="line s{index}{hero}" points="{points}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")
        end = y(lines[name][-1])
        body.append(f'<path class="lead s{index}" d="M{x(turns) + 2:.1f} {end:.1f}L{x(turns) + 14:.1f} {labels[index]:.1f}"/>')
        body.append(_text(x(turns) + 18, labels[index] + 4, f"{name}  {lines[name][-1]:,}", f"label t{index}{hero}"))
    summary = "; ".join(f"{name} {lines[name][-1]:,}" for name in order)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="t d">'
        f'<title id="t">Tokens into the router per turn</title><desc id="d">At turn {turns}: {escape(summary)}.</desc>'
        f"<style>{_css(styles, theme)}</style>{''.join(body)}</svg>\n"
    )


def _css(styles: list[tuple[int, str]], theme: str) -> str:
    ink, faint, rule = INKS[theme]
    base = (
        f"text{{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:{ink}}}.title{{font-size:15px;font-weight:600}}.note{{fill:{faint}}}"
        f".end{{text-anchor:end}}.middle{{text-anchor:middle}}.grid{{stroke:{rule};stroke-width:1}}.line{{fill:none;stroke-width:1.8}}"
        ".lead{fill:none;stroke-width:1;opacity:.6}.line.hero{stroke-width:3.2}text.hero{font-weight:700}"
    )
    return base + "".join(f".s{n}{{stroke:{colour}}}.label.t{n}{{fill:{colour}}}" for n, colour in styles)


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(words)}</text>'


def _spread(heights: list[float], gap: float, floor: float) -> list[float]:
    """Move labels, given from top to bottom, apart to at least `gap` without passing `floor`."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    for index in range(len(placed) - 1, -1, -1):
        placed[index] = min(placed[index], floor - gap * (len(placed) - 1 - index))
    return placed
