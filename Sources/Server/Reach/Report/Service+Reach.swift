import Synchronization

extension Service {
    /// Notes what is served from now on for `syncline reach` and `syncline proxy`.
    func setDescription(_ configuration: Configuration) {
        let description = ServerDescription(
            configuration, mode: state.mode, isRunning: true, ports: ports, authority: tls?.authorityFile,
            // Its place depends on the names if several projects share it.
            awsAuthority: certificates?.authorityFile(of: .awsNames).map(Files.absolute)
                ?? Authority.file(of: configuration, .awsNames))
        state.description.withLock { $0 = description }
    }
}
