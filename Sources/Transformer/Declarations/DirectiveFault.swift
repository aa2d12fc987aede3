/// What is wrong with a directive, and what to do about it.
struct DirectiveFault: Error {
    let kind: DiagnosticList.Kind
    let message: String
    let hint: String?

    init(_ kind: DiagnosticList.Kind = .invalidDirective, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}
