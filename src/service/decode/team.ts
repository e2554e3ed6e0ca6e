import type { ObservedTeam } from "../../model/snapshot.ts";
import { foldName } from "../../model/team.ts";
import { asText, definedFields, identifierOf, isObject, type JsonObject, shown, textOf } from "./json.ts";

const flatIdentifierNames: readonly string[] = ["teamIdentifier", "teamId"];
const flatNameNames: readonly string[] = ["teamName"];
/** The fields of a team that stand beside others. */
export const flatTeamNames: readonly string[] = [...flatIdentifierNames, ...flatNameNames];
const identifierNames = ["identifier", "id", ...flatIdentifierNames];
const nameNames = ["name", ...flatNameNames];

/**
 * The team of a key, or of a creation's answer: as an object or a text under `team`, or flat beside the other fields.
 * `none` where the record says that there is no team; `undefined` where it says nothing, or two different things.
 */
export function decodeTeam(record: JsonObject): ObservedTeam | "none" | undefined {
  const told = shown(record, "team");
  const flat = flatTeam(record);
  if (told === undefined) return flat;
  const nested = told === null ? "none" : teamIn(told);
  if (flat === undefined || nested === undefined) return flat === "none" ? undefined : (nested ?? flat);
  if (flat === "none" || nested === "none") return flat === nested ? "none" : undefined;
  if (!isObject(told)) return textField(asText(told) ?? "", flat);
  return isSameTeam(told, flat) ? { ...flat, ...nested } : undefined;
}

/** A bare text is taken for the identifier: taken for a name it could prove that a team is absent. */
export function teamIn(value: unknown): ObservedTeam | undefined {
  if (!isObject(value)) {
    const identifier = asText(value);
    return identifier === undefined || identifier === "" ? undefined : { identifier };
  }
  return teamOf(identifierOf(value, ...identifierNames), textOf(value, ...nameNames));
}

function flatTeam(record: JsonObject): ObservedTeam | "none" | undefined {
  const names = flatTeamNames.filter((name) => Object.hasOwn(record, name));
  if (names.length === 0) return undefined;
  if (names.every((name) => record[name] === null)) return "none";
  return teamOf(identifierOf(record, ...flatIdentifierNames), identifierOf(record, ...flatNameNames));
}

function teamOf(identifier: string | undefined, name: string | undefined): ObservedTeam | undefined {
  if (identifier === undefined && name === undefined) return undefined;
  return definedFields({ identifier, name });
}

/** A text under `team` beside a team told flat is its identifier or its name. */
function textField(text: string, flat: ObservedTeam): ObservedTeam | undefined {
  const isName = flat.name !== undefined && isSameName(text, flat.name);
  if (text === flat.identifier || isName) return flat;
  return flat.identifier === undefined ? { ...flat, identifier: text } : undefined;
}

/** Whether an object under `team` and the fields beside it tell nothing that differs. */
function isSameTeam(told: JsonObject, flat: ObservedTeam): boolean {
  const identifiers = identifierNames.flatMap((name) => textOf(told, name) ?? []);
  const name = textOf(told, ...nameNames);
  const sameIdentifier =
    flat.identifier === undefined || identifiers.length === 0 || identifiers.includes(flat.identifier);
  return sameIdentifier && (name === undefined || flat.name === undefined || isSameName(name, flat.name));
}

function isSameName(one: string, other: string): boolean {
  return foldName(one) === foldName(other);
}
