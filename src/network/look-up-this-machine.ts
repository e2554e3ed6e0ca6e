import type { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isLoopback } from "../model/loopback.ts";
import { ConnectionFailure } from "./connection-failure.ts";

/** Whether a host, without brackets, is said to be this machine. */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname.includes(":") ? `[${hostname}]` : hostname);
}

/** Resolves names as `resolve` does, and refuses those that lead anywhere but to this machine, as localhost may. */
export function lookUpThisMachine(resolve: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const elsewhere = addresses.find(({ address }) => !isThisMachine(address));
      const [first] = addresses;
      if (elsewhere !== undefined || first === undefined) return callback(leadsElsewhere(elsewhere?.address), "");
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function leadsElsewhere(address: string | undefined): ConnectionFailure {
  return new ConnectionFailure({
    cause: `its name leads to ${address ?? "no address"} and not to this machine, and http:// is for this machine alone`,
    hint: "Use https://, or the address 127.0.0.1",
    lasts: true,
  });
}
