internal import CSQLite
internal import JSON

/// The SQL functions of conditions: what a condition asks of a whole text or JSON value, in time that is linear in it
/// and charged to the connection's `Meter`. SQLite's own count one step each, and some are quadratic.
///
/// Each is deterministic. Of an absent attribute each is false or NULL, as its description says.
///
/// Memory safety: SQLite calls a function with as many arguments as it was registered with; values and their bytes live for the
/// call. The meter is retained when a function is registered and released by its destructor, and so are a prepared search and
/// a set of texts.
extension Connection {
    /// Makes the functions known to the connection, which keeps the meter as long as they are.
    func registerFunctions(charging meter: Meter) throws(StoreError) {
        // text_contains(text, part): whether a text has a part.
        try unsafe register("text_contains", 2, meter) { context, _, arguments in
            guard let (text, part) = unsafe texts(arguments) else { return unsafe sqlite3_result_int(context, 0) }
            guard unsafe charge(context, text.count) else { return }
            let isShort = text.count.multipliedReportingOverflow(by: part.count).partialValue
            let isFound =
                unsafe isShort <= TextSearch.plainProductMax
                ? TextSearch.plainlyMatches(part, in: text) : search(context, for: part).matches(in: text)
            unsafe sqlite3_result_int(context, isFound ? 1 : 0)
        }
        // list_contains(json, element): whether a JSON array has an element that is equal.
        try unsafe register("list_contains", 2, meter) { context, _, arguments in
            guard let json = unsafe text(arguments?[0]) else { return unsafe sqlite3_result_int(context, 0) }
            guard unsafe charge(context, 2 * json.count) else { return }
            let isFound = unsafe (try? JSONComparison.contains(json, element(arguments?[1]))) ?? false
            unsafe sqlite3_result_int(context, isFound ? 1 : 0)
        }
        // list_contains_any(json, wanted): whether a JSON array has a text of another one.
        try unsafe register("list_contains_any", 2, meter) { context, _, arguments in
            guard let json = unsafe text(arguments?[0]) else { return unsafe sqlite3_result_int(context, 0) }
            guard unsafe charge(context, 2 * json.count), let wanted = unsafe textSet(context, arguments?[1]) else {
                return
            }
            unsafe sqlite3_result_int(context, JSONComparison.containsAny(json, of: wanted) ? 1 : 0)
        }
        // is_among(text, wanted): whether a text is one of a JSON array.
        try unsafe register("is_among", 2, meter) { context, _, arguments in
            guard let (text, list) = unsafe texts(arguments) else { return unsafe sqlite3_result_int(context, 0) }
            guard unsafe charge(context, text.count + min(list.count, shortListBytesMax)) else { return }
            let isFound: Bool
            if list.count <= shortListBytesMax {
                isFound = unsafe (try? JSONComparison.contains(list, .text(text))) ?? false
            } else {
                guard let wanted = unsafe textSet(context, arguments?[1]) else { return }
                isFound = unsafe wanted.contains(text)
            }
            unsafe sqlite3_result_int(context, isFound ? 1 : 0)
        }
        // json_equals(json, other): whether two JSON texts are equal, entry by entry.
        try unsafe register("json_equals", 2, meter) { context, _, arguments in
            guard let (json, other) = unsafe texts(arguments) else { return unsafe sqlite3_result_int(context, 0) }
            // It ends at the first difference.
            guard unsafe charge(context, json.count / Meter.copiedBytesPerByte + 4 * min(json.count, other.count))
            else {
                return
            }
            unsafe sqlite3_result_int(context, JSONComparison.areEqual(json, other) ? 1 : 0)
        }
        // text_size(text): the characters up to a NUL, NULL of an absent text.
        try unsafe register("text_size", 1, meter) { context, _, arguments in
            guard let text = unsafe text(arguments?[0]) else { return unsafe sqlite3_result_null(context) }
            guard unsafe charge(context, text.count) else { return }
            unsafe sqlite3_result_int64(context, TextSearch.characterCount(of: text))
        }
        // json_size(json): the entries of an array or object, NULL of anything else.
        try unsafe register("json_size", 1, meter) { context, _, arguments in
            guard let json = unsafe text(arguments?[0]) else { return unsafe sqlite3_result_null(context) }
            guard unsafe charge(context, 2 * json.count) else { return }
            guard let count = try? unsafe JSONComparison.entryCount(of: json) else {
                return unsafe sqlite3_result_null(context)
            }
            unsafe sqlite3_result_int64(context, Int64(count))
        }
        // json_kind(json): the first byte of a JSON text; that of 0 for any number, NULL of an absent one.
        try unsafe register("json_kind", 1, meter) { context, _, arguments in
            guard let json = unsafe text(arguments?[0]), let first = unsafe json.first else {
                return unsafe sqlite3_result_null(context)
            }
            guard unsafe charge(context, json.count / Meter.copiedBytesPerByte) else { return }
            unsafe sqlite3_result_int(context, Int32(JSONComparison.kind(ofFirst: first)))
        }
        // charged(value): 1, once the copying of the value out of its pages is charged.
        try unsafe register("charged", 1, meter) { context, _, arguments in
            let count = unsafe sqlite3_value_type(arguments?[0]) == SQLITE_TEXT ? sqlite3_value_bytes(arguments?[0]) : 0
            guard unsafe charge(context, Int(count) / Meter.copiedBytesPerByte) else { return }
            unsafe sqlite3_result_int(context, 1)
        }
    }

    private func register(
        _ name: String, _ argumentCount: Int32, _ meter: Meter,
        _ body: @escaping @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
    ) throws(StoreError) {
        // SQLite, "sqlite3_create_function_v2": the destructor is called when the function goes, also if this fails.
        let code = unsafe sqlite3_create_function_v2(
            handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
            Unmanaged.passRetained(meter).toOpaque(), body, nil, nil,
            { meter in if let meter = unsafe meter { unsafe Unmanaged<Meter>.fromOpaque(meter).release() } })
        try check(code, "making a function")
    }
}

extension Meter {
    /// How many bytes are copied in the time in which one is searched, roughly.
    static let copiedBytesPerByte = 8

    /// How many bytes are searched in the time in which one of a list is parsed and hashed, roughly.
    static let bytesPerHashedByte = 8
}

/// The bytes of an argument, which live as long as the call; nil of what is no text.
private func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
    guard unsafe sqlite3_value_type(value) == SQLITE_TEXT, let text = unsafe sqlite3_value_text(value) else {
        return nil
    }
    return unsafe UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
}

private func texts(
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer)? {
    guard let first = unsafe text(arguments?[0]), let second = unsafe text(arguments?[1]) else { return nil }
    return unsafe (first, second)
}

private func element(_ value: OpaquePointer?) -> JSONComparison.Element {
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: unsafe .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: unsafe .real(sqlite3_value_double(value))
    default: unsafe .text(text(value) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

/// Charges bytes; if the work must not go on, the statement fails.
///
/// A reader's with SQLITE_INTERRUPT, like a statement that its progress handler ends. A writer's with SQLITE_ERROR, since
/// an interrupt would roll the whole transaction back (SQLite, "sqlite3_interrupt").
///
/// The user data is the meter, which SQLite keeps retained as long as the function exists.
private func charge(_ context: OpaquePointer?, _ byteCount: Int) -> Bool {
    guard let pointer = unsafe sqlite3_user_data(context) else { return true }
    let meter = unsafe Unmanaged<Meter>.fromOpaque(pointer).takeUnretainedValue()
    guard !meter.charge(byteCount) else { return true }
    unsafe sqlite3_result_error_code(context, meter.progress == nil ? SQLITE_ERROR : SQLITE_INTERRUPT)
    return false
}

/// The prepared search for the second argument, which SQLite keeps while the argument is the same parameter (SQLite,
/// "Function Auxiliary Data").
///
/// The auxiliary data is a retained `KeptSearch`, and only this function sets it.
private func search(_ context: OpaquePointer?, for part: UnsafeRawBufferPointer) -> TextSearch {
    if let kept = unsafe sqlite3_get_auxdata(context, 1) {
        return unsafe Unmanaged<KeptSearch>.fromOpaque(kept).takeUnretainedValue().search
    }
    let search = unsafe TextSearch(for: part)
    unsafe sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(KeptSearch(search)).toOpaque()) { kept in
        if let kept = unsafe kept { unsafe Unmanaged<KeptSearch>.fromOpaque(kept).release() }
    }
    return search
}

private final class KeptSearch {
    let search: TextSearch
    init(_ search: TextSearch) { self.search = search }
}

/// Bytes of a JSON array up to which a text is searched in it directly: most callers have few names, and most statements few
/// rows.
private let shortListBytesMax = 256

/// The texts of the second argument, a JSON array, which SQLite keeps while the argument is the same parameter (SQLite,
/// "Function Auxiliary Data"). They are parsed and charged once for a statement, not for each row. Nil if the work must not go
/// on.
///
/// The auxiliary data is a retained `TextSet`, and only this function sets it.
private func textSet(_ context: OpaquePointer?, _ argument: OpaquePointer?) -> TextSet? {
    if let kept = unsafe sqlite3_get_auxdata(context, 1) {
        return unsafe Unmanaged<TextSet>.fromOpaque(kept).takeUnretainedValue()
    }
    let json = unsafe text(argument) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    guard unsafe charge(context, Meter.bytesPerHashedByte * json.count) else { return nil }
    let texts = unsafe JSONComparison.texts(of: json)
    unsafe sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(texts).toOpaque()) { kept in
        if let kept = unsafe kept { unsafe Unmanaged<TextSet>.fromOpaque(kept).release() }
    }
    return texts
}
