import { type DetailedPeerCertificate, TLSSocket } from "node:tls";
import type { ConnectionProblem } from "./failure.ts";

const authority = "If a private authority issues its certificates, set ROSTER_CA_FILE to the file of that authority";

const untrusted: ReadonlyMap<string, string> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate chain ends in an authority that is not trusted here"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "the issuer of its certificate is unknown"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "the issuer of its certificate is unknown"],
  ["UNABLE_TO_GET_ISSUER_CERT", "the issuer of its certificate is unknown"],
  ["CERT_UNTRUSTED", "the issuer of its certificate is not trusted"],
  ["CERT_REVOKED", "its certificate was revoked"],
  ["INVALID_CA", "a certificate of its chain may not issue certificates"],
  ["INVALID_PURPOSE", "its certificate is not for servers"],
]);

/** Why a certificate was refused, or `undefined` where something else went wrong. */
export function certificateProblem(
  code: string | undefined,
  host: string,
  shown: DetailedPeerCertificate | undefined,
): ConnectionProblem | undefined {
  switch (code) {
    case undefined:
      return undefined;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { cause: `its certificate is ${forOthers(shown)}, not for ${host}`, lasts: true };
    case "CERT_HAS_EXPIRED":
      return { cause: expired(shown), lasts: true };
    case "CERT_NOT_YET_VALID":
      return { cause: notYetValid(shown), hint: "Check the clock of this machine", lasts: true };
    default: {
      const cause = untrusted.get(code);
      return cause === undefined ? undefined : { cause, hint: authority, lasts: true };
    }
  }
}

const mostNames = 3;

/** The names come from the other end: only those that a host can have are shown. */
function forOthers(shown: DetailedPeerCertificate | undefined): string {
  const written = shown?.subjectaltname?.split(", ") ?? [`DNS:${shown?.subject?.CN ?? ""}`];
  const names = written
    .map((name) => name.replace(/^(?:DNS|IP Address):/u, ""))
    .filter((name) => /^[\w.*:-]{1,100}$/u.test(name));
  if (names.length === 0) return "for no host name";
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return `for ${names.slice(0, mostNames).join(", ")}${more}`;
}

function expired(shown: DetailedPeerCertificate | undefined): string {
  const first = [...chainOf(shown)].sort((a, b) => Date.parse(a.valid_to) - Date.parse(b.valid_to))[0];
  return `${nameOf(first, shown)} has expired${dated(first?.valid_to, ", on")}`;
}

function notYetValid(shown: DetailedPeerCertificate | undefined): string {
  const last = [...chainOf(shown)].sort((a, b) => Date.parse(b.valid_from) - Date.parse(a.valid_from))[0];
  return `${nameOf(last, shown)} is not valid yet${dated(last?.valid_from, ", but as of")}`;
}

function nameOf(one: DetailedPeerCertificate | undefined, leaf: DetailedPeerCertificate | undefined): string {
  return one === leaf ? "its certificate" : "a certificate of its chain";
}

function dated(written: string | undefined, word: string): string {
  const time = Date.parse(written ?? "");
  return Number.isNaN(time) ? "" : `${word} ${new Date(time).toISOString().slice(0, 10)}`;
}

const longestChain = 10;

/** From the server's own certificate on; a root is its own issuer. */
function chainOf(leaf: DetailedPeerCertificate | undefined): readonly DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  for (
    let one: DetailedPeerCertificate | undefined = leaf;
    one !== undefined && !chain.includes(one) && chain.length < longestChain;
    one = one.issuerCertificate
  ) {
    chain.push(one);
  }
  return chain;
}

/** Keeps what certificate is shown on a connection: by the time of an error, one that was refused cannot be had any more. */
export function shownCertificate(socket: unknown): { readonly certificate?: DetailedPeerCertificate } {
  const seen: { certificate?: DetailedPeerCertificate } = {};
  if (socket instanceof TLSSocket) {
    socket.prependListener("secure", () => {
      seen.certificate = socket.getPeerCertificate(true);
    });
  }
  return seen;
}
