/// How filters and conditions are read, the same for all requests of an API.
struct FilterRules: Sendable {
    var termsMax: Int
    var operandBytesMax: Int
    /// Whether what no expression can be made of is an error, as in version 2, and not a term that asks nothing.
    var refusesUnknown: Bool

    init(_ limits: APILimits, isVersionTwo: Bool) {
        termsMax = limits.filterTermsMax
        operandBytesMax = limits.filterOperandBytesMax
        refusesUnknown = isVersionTwo
    }

    /// Those of the conditions of mutations, whose resolvers check no such thing.
    var ofConditions: FilterRules {
        var rules = self
        rules.refusesUnknown = false
        return rules
    }
}
