import { foldAddress } from "../../model/address.ts";
import type { Thing } from "../../report/explain/explanation.ts";

/** The thing that somebody means; nothing where the words can only be a code. */
export function thingOf(what: string): Thing | undefined {
  const [, kind, rest = ""] = /^(user|team|key|role):(.+)$/su.exec(what) ?? [];
  switch (kind) {
    case "user":
      return { is: "user", address: foldAddress(rest) };
    case "team":
      return { is: "team", written: rest };
    case "key":
      return { is: "key", prefix: rest };
    case "role":
      return { is: "role", role: rest };
    default:
      if (what.includes(":")) return { is: "action", id: what };
      if (/^[0-9a-f]{16}$/u.test(what)) return { is: "finding", fingerprint: what };
      return what.includes("@") ? { is: "user", address: foldAddress(what) } : undefined;
  }
}
