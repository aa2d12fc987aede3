import Tables

/// Enters what operators do in the database's audit log, before it is done: what cannot be entered is not done.
struct AuditLog: Sendable {
    /// What is entered of one action.
    struct Action: Sendable {
        /// Such as `operators.create`.
        var name: String
        var target: String
        /// The names of the changed fields.
        var fields: [String] = []
        var caller: OperatorCallHandler.Caller
    }

    private let add: @Sendable ([AuditEntry]) throws(StoreError) -> Void

    /// - Parameter add: Adds entries, and waits for them to be stored.
    init(add: @escaping @Sendable ([AuditEntry]) throws(StoreError) -> Void) { self.add = add }

    /// Enters an action that is about to be done.
    func enter(_ action: Action) throws(ServerError) {
        do throws(StoreError) { try add(action, suffix: "") } catch {
            throw ServerError(
                .data, "The audit log cannot be written, so nothing was done: \(error.message)", hint: error.hint)
        }
    }

    /// Enters that an action failed. If that cannot be entered, nothing is thrown: the caller needs the error of the action.
    func enterFailure(of action: Action) { try? add(action, suffix: ".failed") }

    private func add(_ action: Action, suffix: String) throws(StoreError) {
        let caller = action.caller
        try add([
            AuditEntry(
                milliseconds: Moment.now.milliseconds, operator: caller.name, role: caller.role.rawValue,
                action: action.name + suffix, target: action.target, fields: action.fields, requestID: caller.requestID,
                address: caller.address)
        ])
    }
}
