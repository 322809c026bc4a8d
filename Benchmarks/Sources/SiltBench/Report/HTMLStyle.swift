/// The page's style: light or dark, as the reader's system is.
enum HTMLStyle {
    static let text =
        colours + plots + """
            body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
            main { max-width: 1120px; margin: 0 auto; padding: 24px; }
            h1 { font-size: 26px; margin: 0; } h2 { font-size: 19px; margin: 36px 0 4px; }
            h3 { font-size: 16px; margin: 24px 0 4px; }
            p { margin: 4px 0 12px; max-width: 75ch; }
            .legend { position: sticky; top: 0; background: var(--paper); padding: 6px 0; max-width: none; }
            .key { margin-right: 14px; white-space: nowrap; }
            i { display: inline-block; width: 11px; height: 11px; margin-right: 5px; border-radius: 2px; }
            .panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 18px 22px; }
            figure { margin: 0; border-top: 1px solid var(--rule); padding-top: 6px; }
            figcaption span { color: var(--faint); font-size: 13px; }
            svg { width: 100%; height: auto; display: block; }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
            th, td { padding: 2px 9px; text-align: right; white-space: nowrap; }
            th[scope=row], th:first-child, td.text { text-align: left; } td.text { white-space: normal; }
            tr.first { border-top: 1px solid var(--rule); }
            .failures, .missed { color: #c0392b; } .met { color: #2f8f4e; } .close { color: #b7791f; }
            """

    static let colours = """
        :root { --ink: #1c2321; --faint: #6c7672; --paper: #fbfaf7; --rule: #d9d6cd; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e8e6df; --faint: #98a19c; --paper: #181c1b; --rule: #37403c; }
        }

        """

    /// What a plot needs.
    static let plots = """
        svg text { font: 11px system-ui, sans-serif; fill: var(--ink); stroke: none; }
        svg text.title { font-size: 16px; font-weight: 600; } svg text.head { font-size: 12px; font-weight: 600; }
        svg text.note { fill: var(--faint); }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        .range { stroke: var(--ink); stroke-width: 1.2; opacity: .65; }
        .grid { stroke: var(--rule); } .line { fill: none !important; stroke-width: 1.8; stroke-linejoin: round; }
        .siltstone { background: #c1572b; fill: #c1572b; stroke: #c1572b; }
        .leveldb { background: #4c78a8; fill: #4c78a8; stroke: #4c78a8; }
        .rocksdb { background: #8a9a3b; fill: #8a9a3b; stroke: #8a9a3b; }
        .lmdb { background: #7d5ba6; fill: #7d5ba6; stroke: #7d5ba6; }
        .sqlite { background: #2f8f83; fill: #2f8f83; stroke: #2f8f83; }
        .files { background: #9a7b4f; fill: #9a7b4f; stroke: #9a7b4f; }
        .perfect { background: #b0567c; fill: #b0567c; stroke: #b0567c; }
        .postgres { background: #336791; fill: #336791; stroke: #336791; }
        .patroni { background: #7fa8c9; fill: #7fa8c9; stroke: #7fa8c9; }
        .mariadb { background: #9a6b3a; fill: #9a6b3a; stroke: #9a6b3a; }
        .galera { background: #d0a878; fill: #d0a878; stroke: #d0a878; }
        .libpq { background: #8a8f98; fill: #8a8f98; stroke: #8a8f98; }
        .libmariadb { background: #b8b0a4; fill: #b8b0a4; stroke: #b8b0a4; }
        .memory { background: #7a8288; fill: #7a8288; stroke: #7a8288; }
        rect { stroke: none !important; }

        """
}
