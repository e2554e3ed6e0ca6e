import type { Node } from "../../yaml/node.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { OnRemoval, SourceValue, TeamEntry } from "../draft.ts";
import { type MapSchema, readFields } from "../fields.ts";
import { readAddress, readBoolean, readList, readText } from "../values.ts";
import { readRoles } from "../written-roles.ts";
import { readMembers } from "./members.ts";
import type { FileContext } from "./site.ts";

const teamSchema: MapSchema = {
  what: "A team",
  required: ["name"],
  optional: ["identifier", "previously", "admin", "founder", "roles", "open", "onRemoval", "members"],
};

/** The teams of one file. Teams without a usable name are told of and left out. */
export function readTeams(node: Node, site: FileContext): readonly TeamEntry[] {
  return readList(node, "`teams`", site.log).flatMap((item) => {
    const team = readTeam(item, site);
    return team === undefined ? [] : [team];
  });
}

function readTeam(node: Node, { log, account, accountReasons }: FileContext): TeamEntry | undefined {
  const fields = readFields(node, teamSchema, log);
  if (fields === undefined) return undefined;
  const field = <T>(name: string, read: (value: Node, what: string) => T): T | undefined => {
    const value = fields.get(name);
    return value && read(value, `\`${name}\``);
  };
  const text = (value: Node, what: string) => readText(value, what, log);
  const address = (value: Node, what: string) => readAddress(value, what, log);
  const name = field("name", text);
  const before = log.count;
  const members = field("members", (value) => readMembers(value, log)) ?? [];
  const allReadable = log.count === before;
  const draft = {
    at: fields.at,
    account,
    defaults: accountReasons,
    identifier: field("identifier", text),
    previously: field("previously", (value) => readFormerNames(value, log)) ?? [],
    admin: field("admin", address),
    founder: field("founder", address),
    roles: field("roles", (value) => readRoles(value, fields.keyOf("roles") ?? value, log)),
    open: field("open", (value, what) => readBoolean(value, what, log)) ?? false,
    onRemoval: field("onRemoval", (value, what) => readOnRemoval(value, what, log)),
    members,
    allReadable,
  };
  return name === undefined ? undefined : { ...draft, name };
}

function readOnRemoval(node: Node, what: string, log: DiagnosticsCollector): SourceValue<OnRemoval> | undefined {
  const text = readText(node, what, log);
  if (text === undefined) return undefined;
  if (text.value === "report" || text.value === "disarm") return { value: text.value, at: node };
  const hint = log.didYouMean(text.value, ["report", "disarm"]) ?? "Write `report` or `disarm`.";
  log.error(node, "unknown-choice", `${what} is \`report\` or \`disarm\`, not \`${text.value}\`.`, hint);
  return undefined;
}

function readFormerNames(node: Node, log: DiagnosticsCollector): readonly SourceValue<string>[] {
  return readList(node, "`previously`", log).flatMap((item) => {
    const name = readText(item, "A former name", log);
    return name === undefined ? [] : [name];
  });
}
