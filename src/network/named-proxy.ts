type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that somebody has named, and where; its address is not checked yet. */
export interface NamedProxy {
  readonly address: string;
  /** A variable, or `the settings`. */
  readonly from: string;
}

/** Plain HTTP never leaves this machine, so that `HTTP_PROXY` is not asked. */
const names = ["https_proxy", "HTTPS_PROXY"] as const;

/** The proxy of `https_proxy`, else of `HTTPS_PROXY`, else of the settings; an empty variable counts as not set. */
export function namedProxy(env: Environment, configured: string | undefined): NamedProxy | undefined {
  for (const name of names) {
    const address = env[name]?.trim() ?? "";
    if (address !== "") return { address, from: name };
  }
  return configured === undefined ? undefined : { address: configured, from: "the settings" };
}
