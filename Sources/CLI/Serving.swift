import Server

/// What runs beside a service until a signal ends it, or its data is lost.
///
/// - Parameter watch: What the verb itself watches; cancelled when the service has ended.
/// - Throws: What ended the service, when it was no signal.
func run(
    _ service: Service, until signals: Signals, watch: @escaping @Sendable () async -> Void = {}
) async throws {
    let end = signals.end
    let failure = await withTaskGroup(of: ServerError?.self) { group in
        group.addTask {
            await watch()
            return nil
        }
        group.addTask {
            await service.watchCertificates()
            return nil
        }
        group.addTask {
            await service.removeExpiredData()
            return nil
        }
        group.addTask {
            await service.sendMail()
            return nil
        }
        group.addTask {
            await service.sendObjectEvents()
            return nil
        }
        group.addTask {
            let failure = await service.watchData()
            if failure != nil { end() }
            return failure
        }
        await signals.waitForEnd(of: service)
        group.cancelAll()
        return await group.reduce(nil) { $0 ?? $1 }
    }
    if let failure { throw failure }
}
