import Codegen
import Synchronization
import Transformer

extension Service {
    /// Notes what is served from now on for the configuration files of clients.
    func setClientFiles(_ configuration: Configuration, _ definition: APIDefinition) {
        guard let served = ClientAddress(url: url) else { return }
        let source = ClientFileSource(
            configuration: configuration, modes: definition.authModes, mode: state.mode, served: served,
            hasUserPools: signIn != nil, analyticsApps: analyticsApps, pulls: state.pulls, authority: tls?.authorityFile
        )
        state.clientFiles.withLock { $0 = source }
    }
}
