/// Where AppSync's engine and the specification part, and what is done here. A document is accepted where either would
/// accept it and nothing is lost; it is refused where the engine's leniency would lose part of it.
enum Difference: CaseIterable {
    /// `query ($id: ID! = "1")`: the engine refuses it, the specification lets the default stand in.
    case defaultOfNonNullVariable
    /// An input field `n: Int! = 1` that is left out: the engine calls it missing, the specification has its default.
    case missingInputFieldWithDefault
    /// An argument `n: Int! = 1` that is left out: likewise.
    case missingArgumentWithDefault
    /// One name twice among arguments, variables, fragments, fields of an input object, or directives: the engine lets
    /// the last win.
    case duplicateName
    /// A subscription with several root fields: the engine answers the first.
    case subscriptionWithManyFields

    /// What this server does about it.
    var isRefused: Bool {
        switch self {
        case .defaultOfNonNullVariable, .missingInputFieldWithDefault, .missingArgumentWithDefault: false
        case .duplicateName, .subscriptionWithManyFields: true
        }
    }
}
