/// Connection strings of libpq that are no URLs: `host=db user=app dbname=shop`.
enum ConnectionKeywords {
    /// The keywords of libpq up to version 18.
    private static let all = Set(
        """
        application_name authtype channel_binding client_encoding connect_timeout dbname fallback_application_name \
        gssdelegation gssencmode gsslib host hostaddr keepalives keepalives_count keepalives_idle keepalives_interval \
        krbsrvname load_balance_hosts max_protocol_version min_protocol_version oauth_client_id oauth_client_secret \
        oauth_issuer oauth_scope options passfile password port replication require_auth requirepeer requiressl \
        scram_client_key scram_server_key service servicefile ssl_max_protocol_version ssl_min_protocol_version \
        sslcert sslcertmode sslcompression sslcrl sslcrldir sslkey sslkeylogfile sslmode sslnegotiation sslpassword \
        sslrootcert sslsni target_session_attrs tcp_user_timeout tty user
        """.split(separator: " "))

    /// Whether a word of a text begins with a keyword and an equals sign, which spaces may part.
    static func areIn(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.indices.contains { place in
            let word = words[place]
            let keyword = word.prefix { $0 != "=" }
            guard all.contains(keyword.lowercased()[...]) else { return false }
            return keyword.endIndex < word.endIndex || words.dropFirst(place + 1).first?.first == "="
        }
    }
}
