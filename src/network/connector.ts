import { lookup } from "node:dns";
import { createSecureContext, type SecureContext } from "node:tls";
import buildConnector from "undici/lib/core/connect.js";
import { certificateTrouble } from "./certificate-trouble.ts";
import { ConnectionFailure } from "./connection-failure.ts";
import { codeOf, type Trouble, troubleOf } from "./connection-trouble.ts";
import { isThisMachine, lookUpThisMachine } from "./look-up-this-machine.ts";
import type { ProxyServer } from "./proxy-server.ts";
import { shownCertificate } from "./shown-certificate.ts";

/** How an origin is reached. */
export interface Way {
  /** Without one, the origin is reached directly. */
  readonly proxy?: ProxyServer;
  /** Certificates (PEM) of authorities that are trusted beside those that Node trusts anyway. */
  readonly ca?: readonly string[];
}

type Connect = ReturnType<typeof buildConnector>;
type Target = Parameters<Connect>[0];
type Callback = Parameters<Connect>[1];

/** Makes connections on which a request can be sent; `timeout` is for each, in milliseconds. */
export function connectorFor({ proxy, ca }: Way, timeout: number): (target: Target, callback: Callback) => void {
  const options = { timeout, ...(ca === undefined ? {} : { secureContext: trusting(ca) }) };
  const connectHere = buildConnector({ timeout, lookup: lookUpThisMachine(lookup) });
  const connect = buildConnector(options);
  return (target, callback) => {
    if (target.protocol === "http:") {
      if (isThisMachine(target.hostname)) connectHere(target, callback);
      else callback(new ConnectionFailure(unencrypted));
    } else if (proxy === undefined) {
      secure(connect, target, callback);
    } else {
      void throughTunnel({ proxy, connect, options }, target, callback);
    }
  };
}

const unencrypted: Trouble = {
  cause: "it would be reached without encryption: http:// is for this machine alone",
  lasts: true,
};

/** All that Node trusts by its own settings, and these. */
function trusting(authorities: readonly string[]): SecureContext {
  const trust = createSecureContext();
  for (const certificate of authorities) trust.context.addCACert(certificate);
  return trust;
}

interface Tunnelling {
  readonly proxy: ProxyServer;
  readonly connect: Connect;
  readonly options: Parameters<typeof buildConnector>[0];
}

/** The TLS handshake is with the origin: the proxy sees its name and nothing else. */
async function throughTunnel({ proxy, connect, options }: Tunnelling, target: Target, callback: Callback) {
  const { openTunnel } = await import("./tunnel.ts");
  const tunnel = await openTunnel(proxy, target, options);
  if (!tunnel.ok) callback(new ConnectionFailure(tunnel.error));
  else secure(connect, { ...target, httpSocket: tunnel.value }, callback, `, through the proxy ${proxy.shown}`);
}

function secure(connect: Connect, target: Target, callback: Callback, way = ""): void {
  const socket = connect(target, (error, connected) => {
    if (error === null) return callback(null, connected);
    const refused = certificateTrouble(codeOf(error), target.hostname, seen.certificate);
    const { cause, ...rest } = refused ?? troubleOf(error);
    callback(new ConnectionFailure({ ...rest, cause: `${cause}${way}` }));
  });
  const seen = shownCertificate(socket);
}
