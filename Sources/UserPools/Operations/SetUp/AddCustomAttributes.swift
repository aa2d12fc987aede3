import JSON

extension Operation {
    /// AddCustomAttributes: adds attributes to a pool.
    static let addCustomAttributes = Operation(
        "AddCustomAttributes", .signed, [.userPoolID, .list("CustomAttributes").required]
    ) { call throws(CognitoError) in
        _ = try await call.changePool { pool, reader in
            for section in reader.sections("CustomAttributes") ?? [] {
                guard let attribute = AttributeSchema(section, isConfiguration: false),
                    pool.attribute(attribute.name) != nil
                else { continue }
                section.report("Name", "\(attribute.name): Existing attribute already has name \(attribute.name).")
            }
            pool.update(reader, isConfiguration: false)
        }
        return [:]
    }
}
