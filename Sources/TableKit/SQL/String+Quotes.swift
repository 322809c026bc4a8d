extension String {
    /// The text between quotes, with each quote within it doubled, as SQL and CSV have it.
    ///
    /// Compares scalars. A comparison of characters would miss a quote before a combining mark, which is one character
    /// with it.
    package func quoted(by quote: Unicode.Scalar) -> String {
        var text = String.UnicodeScalarView()
        text.append(quote)
        for scalar in unicodeScalars {
            if scalar == quote { text.append(quote) }
            text.append(scalar)
        }
        text.append(quote)
        return String(text)
    }
}
