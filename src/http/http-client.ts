export interface HttpClientRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Whether a host, as a URL has it, is this machine: only there may plain HTTP carry what is secret. Names are
 * not resolved here: the code that connects to one over plain HTTP makes sure that it resolves to this machine.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/u.test(hostname)
  );
}
