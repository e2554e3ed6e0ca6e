import type { Node } from "../../yaml/node.ts";
import { readDate } from "../dates.ts";
import type { LeaverEntry } from "../draft.ts";
import { type MapSchema, readFields } from "../fields.ts";
import { readAddress, readList, readText } from "../values.ts";
import type { FileContext } from "./site.ts";

const leaverSchema: MapSchema = { what: "A leaver", required: ["email"], optional: ["since", "ref"] };

/** The leavers of one file. Leavers without a usable address are told of and left out. */
export function readLeavers(node: Node, site: FileContext): readonly LeaverEntry[] {
  return readList(node, "`leavers`", site.log).flatMap((item) => {
    const leaver = readLeaver(item, site);
    return leaver === undefined ? [] : [leaver];
  });
}

function readLeaver(node: Node, { log, account }: FileContext): LeaverEntry | undefined {
  const fields = readFields(node, leaverSchema, log);
  if (fields === undefined) return undefined;
  const address = fields.get("email");
  const since = fields.get("since");
  const ref = fields.get("ref");
  const email = address && readAddress(address, "`email`", log);
  const draft = {
    at: fields.at,
    account: account === "" ? undefined : account,
    since: since && readDate(since, "`since`", log),
    ref: ref && readText(ref, "`ref`", log)?.value,
  };
  return email === undefined ? undefined : { ...draft, email };
}
