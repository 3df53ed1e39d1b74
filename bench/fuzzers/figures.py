"""Table and plot of recorded campaigns."""
import statistics

COLOURS = ["#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#0f766e", "#a16207"]


def key(record):
    return record["target"], record["tool"], record["strategy"], record["seed"], record["budget_cpu_s"]


def label(record):
    return record["tool"] + (f" {record['strategy']}" if record["strategy"] else "")


def groups(records):
    """target -> tool -> records."""
    found = {}
    for r in sorted(records, key=lambda r: [str(k) for k in key(r)]):
        found.setdefault(r["target"], {}).setdefault(label(r), []).append(r)
    return found


def at(record, mark):
    return max((covered for m, _, covered in record["curve"] if m <= mark), default=0)


def table(records, mark=None):
    """Markdown: median and range of covered branch outcomes, and who covers most."""
    by_target = groups(records)
    tools = sorted({label(r) for r in records})
    lines = ["| target | branch outcomes | seeds | " + " | ".join(tools) + " | most |", "|---" * (len(tools) + 4) + "|"]
    for target, by_tool in by_target.items():
        one = next(iter(by_tool.values()))[0]
        covered = {t: [at(r, mark or r["budget_cpu_s"]) for r in rs] for t, rs in by_tool.items()}
        cells = [f"{statistics.median(c):g} ({min(c)}–{max(c)}; {len(c)})" if (c := covered.get(t)) else "" for t in tools]
        best = max(covered, key=lambda t: statistics.median(covered[t]))
        lines.append(f"| {target} | {one['branches']} | {at(one, 0)} | " + " | ".join(cells) + f" | {best} |")
    return "\n".join(lines)


def panel(x, y, width, height, target, by_tool, colours):
    """One small diagram: branch outcomes over CPU seconds, median as a line, range as an area."""
    budget = max(r["budget_cpu_s"] for rs in by_tool.values() for r in rs)
    values = [c for rs in by_tool.values() for r in rs for _, _, c in r["curve"]]
    low, high = min(values), max(values)
    px = lambda mark: x + 34 + (width - 44) * mark / budget
    py = lambda covered: y + height - 22 - (height - 44) * (covered - low) / max(high - low, 1)
    parts = [f'<text x="{x + 34}" y="{y + 14}" font-weight="bold">{target}</text>',
             f'<path d="M{px(0):.1f} {py(high):.1f}V{py(low):.1f}H{px(budget):.1f}" stroke="#888" fill="none"/>',
             f'<text x="{x + 30}" y="{py(high) + 4:.1f}" text-anchor="end">{high}</text>',
             f'<text x="{x + 30}" y="{py(low) + 4:.1f}" text-anchor="end">{low}</text>',
             f'<text x="{px(budget):.1f}" y="{y + height - 8}" text-anchor="end">{budget} CPU s</text>']
    for tool, records in by_tool.items():
        marks = [m for m, _, _ in records[0]["curve"]]
        points = [(m, [at(r, m) for r in records]) for m in marks]
        area = [(px(m), py(max(c))) for m, c in points] + [(px(m), py(min(c))) for m, c in reversed(points)]
        line = [(px(m), py(statistics.median(c))) for m, c in points]
        text = lambda ps: " ".join(f"{a:.1f},{b:.1f}" for a, b in ps)
        parts.append(f'<polygon points="{text(area)}" fill="{colours[tool]}" opacity="0.15"/>')
        parts.append(f'<polyline points="{text(line)}" stroke="{colours[tool]}" stroke-width="1.5" fill="none"/>')
    return "\n".join(parts)


def svg(records):
    """Ten small diagrams in one picture."""
    tools = sorted({label(r) for r in records})
    colours = {t: COLOURS[n % len(COLOURS)] for n, t in enumerate(tools)}
    width, height, columns = 220, 150, 5
    by_target = groups(records)
    rows = -(-len(by_target) // columns)
    parts = [panel((n % columns) * width, 24 + (n // columns) * height, width, height, t, b, colours)
             for n, (t, b) in enumerate(by_target.items())]
    legend = "".join(f'<text x="{34 + 160 * n}" y="16" fill="{colours[t]}">{t}</text>' for n, t in enumerate(tools))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * width}" height="{24 + rows * height}" '
            f'font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="white"/>{legend}\n' + "\n".join(parts) + "\n</svg>\n")
