import type { Node } from "../../yaml/node.ts";
import { readDate } from "../dates.ts";
import type { DraftLeaver } from "../draft.ts";
import { readFields, type Shape } from "../fields.ts";
import { readAddress, readList, readText } from "../values.ts";
import type { Site } from "./site.ts";

const shape: Shape = { what: "A leaver", required: ["email"], optional: ["since", "ref"] };

/** The leavers of one file. Leavers without a usable address are told of and left out. */
export function readLeavers(node: Node, site: Site): readonly DraftLeaver[] {
  return readList(node, "`leavers`", site.log).flatMap((item) => {
    const leaver = readLeaver(item, site);
    return leaver === undefined ? [] : [leaver];
  });
}

function readLeaver(node: Node, { log, account }: Site): DraftLeaver | undefined {
  const fields = readFields(node, shape, log);
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
