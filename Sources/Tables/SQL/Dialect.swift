/// How a database's SQL differs from another's where statements about items are written. `SQLText` knows what is to be said
/// and a dialect how; all of it is text, so that a statement is a function of its shape and the dialect alone.
struct Dialect: Sendable {
    /// What stands before a parameter's number.
    let parameterMark: String
    /// Compares two values, of which one may be NULL.
    let nullSafeEquals: String
    /// A text that comes after all texts with a prefix, appended to it: a byte that UTF-8 never has.
    let afterAllTexts: String
    /// Has the rows of a SELECT found by an index, or by none.
    let indexed: @Sendable (_ index: String?) -> String
    /// A value of JSON as it is stored: checked, and without white space.
    let storedJSON: @Sendable (_ value: String) -> String
    /// A SELECT of the given values for which a comparison, such as `> ?`, holds.
    let selected: @Sendable (_ values: [String], _ comparison: String) -> String
    /// A number among the parts of a composite key, as text: all writers of one number give the same.
    let realText: @Sendable (_ value: String) -> String
    /// An expression where a condition is true, and false elsewhere; the condition is tested first.
    let guarded: @Sendable (_ condition: String, _ expression: String) -> String
    let functions: Functions

    /// The functions that conditions call, each by its name.
    struct Functions: Sendable {
        /// Whether two texts of JSON are equal, element by element.
        let jsonEquals: String
        let listContains: String
        /// Whether a list has a text of another list of texts.
        let listContainsAny: String
        /// Whether a text is one of a list of texts.
        let isAmong: String
        let textContains: String
        /// The first byte of a value of JSON; of every number it is the digit 0.
        let jsonKind: String
        let jsonSize: String
        let textSize: String
        /// Charges the bytes of a text to the request, and is true.
        let charged: String
        /// Whether an updated item keeps to the bound of its size.
        let fits: String
    }

    /// SQLite's. The functions are those that `Connection` registers.
    static let sqlite = Dialect(
        parameterMark: "?", nullSafeEquals: "IS", afterAllTexts: "CAST(x'FF' AS TEXT)",
        indexed: { $0.map { "INDEXED BY \($0)" } ?? "NOT INDEXED" }, storedJSON: { "json(\($0))" },
        selected: { values, comparison in
            let rows = values.map { "(\($0))" }.joined(separator: ", ")
            return "SELECT column1 FROM (VALUES \(rows)) WHERE column1 \(comparison)"
        },
        realText: { "CAST(CAST(\($0) AS REAL) AS TEXT)" }, guarded: { "iif(\($0), \($1), 0)" },
        functions: Functions(
            jsonEquals: "json_equals", listContains: "list_contains", listContainsAny: "list_contains_any",
            isAmong: "is_among", textContains: "text_contains", jsonKind: "json_kind", jsonSize: "json_size",
            textSize: "text_size", charged: "charged", fits: "fits"))
}
