/// What a hosted page says and asks for.
struct PageContent: Sendable {
    struct Field: Sendable {
        var name: String
        var label: String
        var value = ""
        var type = "text"
        var autocomplete = "off"
        var inputMode: String?
        /// What the field needs, in a sentence under it.
        var hint: String?

        init(
            name: String, label: String, value: String = "", type: String = "text", autocomplete: String = "off",
            inputMode: String? = nil, hint: String? = nil
        ) {
            (self.name, self.label, self.value, self.type) = (name, label, value, type)
            (self.autocomplete, self.inputMode, self.hint) = (autocomplete, inputMode, hint)
        }
    }

    var title: String
    var message: String?
    var error: String?
    /// Where the form goes; nil of a page without a form.
    var action: String?
    var hidden: [(name: String, value: String)] = []
    var fields: [Field] = []
    /// One of these is to be chosen, as the field `choice`.
    var choices: [(value: String, label: String)] = []
    var button = ""
    /// A second button, which sends the form elsewhere.
    var secondAction: (label: String, action: String)?
    var links: [(label: String, href: String)] = []
    /// Providers to sign in by, as links that look like buttons.
    var providers: [(label: String, href: String)] = []
    /// A key that is to be typed into an app, and the same as a link.
    var secret: String?
    var secretLink: String?

    init(title: String, message: String? = nil, error: String? = nil) {
        (self.title, self.message, self.error) = (title, message, error)
    }
}
