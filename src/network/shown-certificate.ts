import { type DetailedPeerCertificate, TLSSocket } from "node:tls";

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
