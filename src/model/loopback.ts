/**
 * Whether a host, as a URL has it, is this machine: only there may plain HTTP carry what is secret. A name is taken at
 * its word here; whoever connects to one over plain HTTP makes sure that it resolves to this machine.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/u.test(hostname)
  );
}
