import { foldAddress, looksLikeAddress } from "../model/address.ts";
import type { Node } from "../yaml/node.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { SourceAddress, SourceValue } from "./draft.ts";
import { nodeKind } from "./fields.ts";

/** A text without anything around it or in it that nobody can see. What is wrong with it is told as being about `what`. */
export function readText(node: Node, what: string, log: DiagnosticsCollector): SourceValue<string> | undefined {
  const text = readString(node, what, log);
  if (text === undefined) return undefined;
  const fault = textProblem(text.value);
  if (fault === undefined) return text;
  log.error(node, "bad-text", `${what} ${fault}.`);
  return undefined;
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which belongs in no file. */
export function readPrefix(node: Node, what: string, log: DiagnosticsCollector): SourceValue<string> | undefined {
  const text = readText(node, what, log);
  if (text === undefined || !text.value.includes(".")) return text;
  const hint =
    "Write the part before the dot alone; take the key for told to whoever can read this file, and replace it.";
  log.errorAboutSecret(node, "full-key", `${what} is a whole key with its secret part, not a prefix.`, hint);
  return undefined;
}

export function readAddress(node: Node, what: string, log: DiagnosticsCollector): SourceAddress | undefined {
  const text = readText(node, what, log);
  if (text === undefined) return undefined;
  if (looksLikeAddress(text.value)) return { ...text, address: foldAddress(text.value) };
  const hint = "Write it like `ada@acme.example`.";
  log.error(node, "bad-address", `${what} is not an e-mail address: \`${text.value}\`.`, hint);
  return undefined;
}

export function readBoolean(node: Node, what: string, log: DiagnosticsCollector): boolean | undefined {
  if (node.kind === "scalar" && node.type === "boolean") return node.text.toLowerCase() === "true";
  log.error(node, "wrong-type", `${what} is true or false, not ${nodeKind(node)}.`, "Write `true` or `false`.");
  return undefined;
}

/** The items of a list; none where the node is no list. */
export function readList(node: Node, what: string, log: DiagnosticsCollector): readonly Node[] {
  if (node.kind === "list") return node.items;
  const hint = node.kind === "scalar" && node.type === "null" ? "Write `[]` for an empty list." : undefined;
  log.error(node, "wrong-type", `${what} is a list, not ${nodeKind(node)}.`, hint);
  return [];
}

/** A list of addresses, such as a group or the former addresses of a user. */
export function readAddresses(
  node: Node,
  what: { readonly list: string; readonly item: string },
  log: DiagnosticsCollector,
): readonly SourceAddress[] {
  return readList(node, what.list, log).flatMap((item) => {
    const address = readAddress(item, what.item, log);
    return address === undefined ? [] : [address];
  });
}

function readString(node: Node, what: string, log: DiagnosticsCollector): SourceValue<string> | undefined {
  if (node.kind !== "scalar") {
    log.error(node, "wrong-type", `${what} is a text, not ${nodeKind(node)}.`);
    return undefined;
  }
  if (node.type === "string") return { value: node.text, at: node };
  const hint = node.text === "" ? "Write a value, or leave the key out." : `Quote it: "${node.text}".`;
  log.error(node, "quote-needed", `${what} is a text, but YAML reads ${nodeKind(node)} here.`, hint);
  return undefined;
}

/** What is wrong with a text of the format; nothing where it can stand there. */
export function textProblem(text: string): string | undefined {
  if (text === "") return "is empty";
  if (/[\r\n\u2028\u2029]/u.test(text)) return "goes over several lines";
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return "holds a control character or half of a character";
  if (text !== text.trim()) return "has white space before or after it";
  return undefined;
}
