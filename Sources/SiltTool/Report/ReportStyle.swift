/// The style of the page, for phones and wide screens, light and dark.
enum ReportStyle {
    static let text = """
        :root { color-scheme: light dark; --ink: #1c2126; --soft: #5d6872; --page: #fbfaf7; --card: #ffffff;
          --line: #dfdcd3; --stone: #7a8fa3; --silt: #c08a4e; --dead: #b4534b; --key: #3f7d58; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e7e9ea; --soft: #98a3ad; --page: #14181b; --card: #1c2226;
          --line: #323a40; --stone: #8fa9c1; --silt: #dba463; --dead: #e07a70; --key: #72bd91; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
        header, main { max-width: 68rem; margin: 0 auto; padding: 1rem 1.25rem; }
        h1 { margin: .5rem 0 0; font-size: 1.7rem; } h2 { margin: 0 0 .25rem; font-size: 1.15rem; }
        h3 { margin: 1.25rem 0 .4rem; font-size: 1rem; }
        .path, .hint, .note { color: var(--soft); margin: 0; overflow-wrap: anywhere; } .hint { margin-bottom: .75rem; }
        section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem;
          margin: 0 0 1rem; }
        .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; }
        .figures div { display: flex; flex-direction: column; }
        .figures strong { font-size: 1.45rem; font-weight: 650; } .label { color: var(--soft); font-size: .85rem; }
        .note { font-size: .8rem; }
        .scroll { overflow-x: auto; }
        svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
        .relations { max-width: 56rem; } .relations text.title { fill: var(--ink); font-weight: 600; }
        .box { fill: var(--page); stroke: var(--line); } .arrow { fill: none; stroke: var(--key); stroke-width: 1.5; }
        .key { fill: none; stroke: var(--key); stroke-width: 1.5; } .narrow { display: none; }
        .segment { fill: var(--stone); } .segment.fresh { fill: var(--silt); } .rail { stroke: var(--line); }
        .bars { display: grid; grid-template-columns: minmax(6rem, 16rem) minmax(4rem, 1fr) auto; gap: .3rem .75rem;
          align-items: center; font-variant-numeric: tabular-nums; }
        .bars .name { overflow-wrap: anywhere; } .bars .size { text-align: right; white-space: nowrap; }
        .bar { height: .8rem; border-radius: .2rem; background: var(--line); overflow: hidden; display: flex; }
        .bar i { display: block; height: 100%; background: var(--stone); } .bar i.dead { background: var(--dead); }
        .bar i.fresh { background: var(--silt); } .bar i.index { background: var(--key); }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line);
          vertical-align: top; max-width: 22rem; overflow-wrap: anywhere; }
        th { color: var(--soft); font-weight: 500; } td.null { color: var(--soft); font-style: italic; }
        code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em; }
        .tag { color: var(--key); border: 1px solid currentColor; border-radius: .3rem; padding: 0 .3rem;
          font-size: .75rem; margin-left: .3rem; }
        .legend { display: flex; flex-wrap: wrap; gap: 1rem; color: var(--soft); font-size: .85rem; margin-top: .5rem; }
        .legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .35rem;
          vertical-align: -.1rem; background: var(--stone); }
        .legend i.fresh { background: var(--silt); } .legend i.dead { background: var(--dead); }
        .legend i.index { background: var(--key); }
        @media (max-width: 42rem) { .bars { display: block; } .bars > span { display: block; }
          .bars .name { margin-top: .7rem; } .bars .size { text-align: left; white-space: normal; color: var(--soft); }
          .bars .bar { display: flex; } #levels svg { min-width: 44rem; }
          .wide { display: none; } .narrow { display: block; } .narrow svg { margin: 0 auto; } }

        """
}
