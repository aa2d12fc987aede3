import Encodings

/// The page that every path of the console answers: the HTML shell with its own nonce, and the headers that keep foreign
/// content out.
struct ConsolePage {
    let html: String
    /// Random for each answer.
    let nonce: String
    /// Whether it is the page for queries, whose editor assigns HTML.
    let isQuery: Bool

    /// - Parameter path: The request's.
    init(_ files: ConsoleFiles, path: String) {
        var random = SystemRandomNumberGenerator()
        nonce = Base64.encodeURL((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        isQuery = path == Self.query || path.hasPrefix("\(Self.query)/")
        guard let shell = files.file(ConsoleFiles.shell), files.file(ConsoleFiles.needed) != nil else {
            html = Self.withoutFiles
            return
        }
        html = String(decoding: shell.bytes, as: UTF8.self).replacing("{{nonce}}", with: nonce)
            .replacing("{{assets}}", with: "\(Self.assets)/\(files.hash)")
    }

    /// The folder of all files, before the hash.
    static let assets = "/console/assets"
    private static let query = "/console/query"

    /// What is answered where the program was made without the third-party files.
    static let withoutFiles = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Syncline</title></head>
        <body><h1>The console is not in this build</h1>
        <p>The program was built without the third-party files of its pages. These commands add them:</p>
        <pre>scripts/console-assets\nswift build</pre>
        <p>Everything else works: see <code>syncline help</code>.</p></body></html>

        """

    /// The header lines (W3C, "Content Security Policy Level 3"; "Trusted Types"). Nothing is loaded from elsewhere, and no script
    /// runs that the nonce does not allow.
    var fields: [(name: String, value: String)] {
        var policy =
            "default-src 'none'; script-src 'nonce-\(nonce)' 'strict-dynamic'; style-src 'self'; "
            + "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; media-src blob:; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'"
        if !isQuery { policy += "; require-trusted-types-for 'script'; trusted-types 'none'" }
        return [("Content-Security-Policy", policy), ("Cache-Control", "no-store")] + Self.fieldsOfAll + [
            ("Permissions-Policy", Self.permissions)
        ]
    }

    /// The header lines of pages and files.
    static let fieldsOfAll: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    /// Everything off but writing to the clipboard (W3C, "Permissions Policy").
    private static let permissions =
        [
            "accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media", "fullscreen",
            "gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer", "microphone",
            "midi", "payment", "picture-in-picture", "publickey-credentials-create", "publickey-credentials-get",
            "screen-wake-lock", "serial", "storage-access", "usb", "window-management",
            "xr-spatial-tracking",
        ].map { "\($0)=(), " }.joined() + "clipboard-write=(self)"
}
