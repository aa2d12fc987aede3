/// Writes a hosted page: plain HTML that works without script, at the width of a phone and with a screen reader.
struct PageWriter {
    private let style: PageStyle
    private let content: PageContent
    private let csrf: String

    init(_ style: PageStyle, _ content: PageContent, csrf: String) {
        (self.style, self.content, self.csrf) = (style, content, csrf)
    }

    var html: String {
        var html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        html += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
        html +=
            "<meta name=\"robots\" content=\"noindex\"><title>\(Self.escape(content.title)) – \(Self.escape(style.title))</title>"
        // Browsers ask for an icon that no page names.
        html += "<link rel=\"icon\" href=\"data:,\">"
        html += "<style>\(style.css)</style></head><body><main><header>"
        if let logo = style.logo { html += "<img src=\"\(Self.escape(logo))\" alt=\"\">" }
        html += "<span>\(Self.escape(style.title))</span></header><h1>\(Self.escape(content.title))</h1>"
        if let error = content.error {
            html += "<p class=\"error\" id=\"error\" role=\"alert\">\(Self.escape(error))</p>"
        }
        if let message = content.message { html += "<p>\(Self.escape(message))</p>" }
        if let secret = content.secret {
            html += "<code>\(Self.escape(secret))</code>"
            if let link = content.secretLink {
                html += "<p><a href=\"\(Self.escape(link))\">Open in an app on this device</a></p>"
            }
        }
        for (label, href) in content.providers {
            html += "<a class=\"provider\" href=\"\(Self.escape(href))\">\(Self.escape(label))</a>"
        }
        if let action = content.action { html += form(action) }
        if !content.links.isEmpty {
            let links = content.links.map { "<a href=\"\(Self.escape($0.href))\">\(Self.escape($0.label))</a>" }
            html += "<nav aria-label=\"Other ways\">\(links.joined())</nav>"
        }
        return html + "</main></body></html>\n"
    }

    private func form(_ action: String) -> String {
        var html = "<form method=\"post\" action=\"\(Self.escape(action))\">"
        for (name, value) in [("_csrf", csrf)] + content.hidden {
            // Password managers read whose password is set from a field of text only.
            let kind =
                name == "username" ? "type=\"text\" autocomplete=\"username\" readonly hidden" : "type=\"hidden\""
            html += "<input \(kind) name=\"\(Self.escape(name))\" value=\"\(Self.escape(value))\">"
        }
        for (index, field) in content.fields.enumerated() { html += input(field, index) }
        if !content.choices.isEmpty {
            html += "<fieldset aria-label=\"\(Self.escape(content.title))\">"
            for (index, choice) in content.choices.enumerated() {
                let checked = index == 0 ? " checked" : ""
                html +=
                    "<label class=\"choice\"><input type=\"radio\" name=\"choice\" value=\"\(Self.escape(choice.value))\"\(checked)>"
                html += "\(Self.escape(choice.label))</label>"
            }
            html += "</fieldset>"
        }
        html += "<button type=\"submit\">\(Self.escape(content.button))</button>"
        if let second = content.secondAction {
            html +=
                "<button class=\"second\" type=\"submit\" formnovalidate formaction=\"\(Self.escape(second.action))\">"
            html += "\(Self.escape(second.label))</button>"
        }
        return html + "</form>"
    }

    private func input(_ field: PageContent.Field, _ index: Int) -> String {
        let id = "field\(index)"
        var html =
            "<label for=\"\(id)\">\(Self.escape(field.label))</label><input id=\"\(id)\" name=\"\(Self.escape(field.name))\""
        html += " type=\"\(field.type)\" autocomplete=\"\(field.autocomplete)\" required"
        if !field.value.isEmpty { html += " value=\"\(Self.escape(field.value))\"" }
        if let mode = field.inputMode { html += " inputmode=\"\(mode)\"" }
        if field.name == "username" { html += " autocapitalize=\"none\" spellcheck=\"false\"" }
        var described: [String] = []
        if content.error != nil, index == 0 { described.append("error") }
        if field.hint != nil { described.append("\(id)-hint") }
        if !described.isEmpty { html += " aria-describedby=\"\(described.joined(separator: " "))\"" }
        if index == 0 { html += " autofocus" }
        html += ">"
        if let hint = field.hint { html += "<small id=\"\(id)-hint\">\(Self.escape(hint))</small>" }
        return html
    }

    /// Text as it stands in HTML, between tags or in quotes.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // Embeddings, overrides and isolates of text direction, which would change how the rest of the line reads.
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{200E}", "\u{200F}", "\u{61C}": break
            case _ where scalar.properties.generalCategory == .control && scalar != "\n": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
