/// A plot with its heading, wherever it is put: on a page, on a sheet of its own.
struct Panel {
    static let width = 340.0

    var title: String
    /// Behind the title: the unit, the ratio.
    var note: String
    var height: Double
    /// SVG in a space of ``width`` and ``height``.
    var content: String

    /// As a part of a page.
    var figure: String {
        """
        <figure><figcaption><b>\(HTML.escaped(title))</b> <span>\(HTML.escaped(note))</span></figcaption>
        \(SVG.picture(width: Self.width, height: height, content))</figure>
        """
    }
}
