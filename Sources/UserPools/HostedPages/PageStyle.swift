import Crypto
import Encodings

/// How hosted pages look: the pool's name, logo and colours.
struct PageStyle: Sendable {
    let title: String
    let logo: String?
    /// The one style sheet.
    let css: String

    /// The sheet's hash, by which a `Content-Security-Policy` allows it and no other.
    var hash: String { Base64.encode(Array(SHA256.hash(data: Array(css.utf8)))) }

    init(_ pool: UserPool?) {
        title = pool?.style.title ?? pool?.name ?? "Sign in"
        logo = pool?.style.logo
        let primary = pool?.style.primaryColor ?? "#1f5fbf"
        let background = pool?.style.backgroundColor ?? "#f4f5f7"
        let text = Self.contrast(primary, "#ffffff") >= 4.5 ? "#ffffff" : "#111111"
        css = """
            :root{--primary:\(primary);--on-primary:\(text);--page:\(background);--card:#fff;--text:#1b1f24;\
            --muted:#57606a;--line:#8c959f;--error:#b3261e;--error-page:#fdeceb}
            @media (prefers-color-scheme:dark){:root{--page:#101418;--card:#1b2127;--text:#e6e9ec;--muted:#a8b1ba;\
            --line:#6e7781;--error:#ffb4ab;--error-page:#3b1512}}
            *{box-sizing:border-box}
            body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--page);\
            color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
            main{width:100%;max-width:400px;background:var(--card);border-radius:12px;padding:28px 24px;\
            box-shadow:0 1px 3px rgba(0,0,0,.2)}
            header{display:flex;align-items:center;gap:12px;margin-bottom:20px;color:var(--muted);overflow-wrap:anywhere}
            header img{max-height:40px;max-width:120px}
            h1{font-size:1.5rem;line-height:1.25;margin:0 0 12px}
            p{margin:0 0 16px;overflow-wrap:anywhere}
            label{display:block;font-weight:600;margin:16px 0 6px}
            input:not([type=radio]){width:100%;font:inherit;padding:10px 12px;border:1px solid var(--line);border-radius:8px;\
            background:transparent;color:inherit}
            small{display:block;color:var(--muted);margin-top:6px}
            button{width:100%;font:inherit;font-weight:600;margin-top:20px;padding:12px;border:1px solid transparent;\
            border-radius:8px;background:var(--primary);color:var(--on-primary);cursor:pointer}
            button.second{background:transparent;color:inherit;border-color:var(--line);margin-top:12px}
            a{color:inherit}
            a.provider{display:block;text-align:center;text-decoration:none;font-weight:600;margin-top:12px;padding:12px;\
            border:1px solid var(--line);border-radius:8px;overflow-wrap:anywhere}
            :focus-visible{outline:3px solid var(--primary);outline-offset:2px}
            .error{background:var(--error-page);color:var(--error);border-radius:8px;padding:10px 12px}
            .choice{display:flex;gap:10px;align-items:center;font-weight:400;margin:8px 0}
            fieldset{border:0;margin:0;padding:0}
            code{display:block;font-size:1.05rem;overflow-wrap:anywhere;margin-bottom:12px}
            nav{margin-top:24px;display:grid;gap:8px}
            """
    }

    /// The contrast of two colours (Web Content Accessibility Guidelines 2.2, "contrast ratio").
    static func contrast(_ one: String, _ other: String) -> Double {
        let (a, b) = (luminance(one), luminance(other))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    private static func luminance(_ color: String) -> Double {
        let parts = (Hexadecimal.bytes(of: color.dropFirst()) ?? [0, 0, 0]).map { byte in
            let value = Double(byte) / 255
            // The curve between a colour's value and its light, which is close to a power of 2.4.
            return value <= 0.04045 ? value / 12.92 : power24((value + 0.055) / 1.055)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// A number between 0 and 1 to the power of 2.4, by its fifth root: x^(12/5).
    private static func power24(_ x: Double) -> Double {
        var root = 1.0
        for _ in 0..<40 { root -= (root * root * root * root * root - x) / (5 * root * root * root * root) }
        return x * x * root * root
    }
}
