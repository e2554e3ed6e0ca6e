import { join } from "node:path";
import type { Host } from "../host.ts";
import { readRosterFiles } from "../roster-files.ts";
import { findSettingsFile } from "../settings-file.ts";

/** What the files of a roster name, each once, in the order of code units. */
export interface NamesInRoster {
  readonly people: readonly string[];
  readonly teams: readonly string[];
  /** Prefixes of keys. */
  readonly keys: readonly string[];
  readonly accounts: readonly string[];
}

/**
 * The names in these files of a roster, else in those that the settings name, else in this directory, as far as they can be read: a file that is half-written, or
 * no YAML at this moment, still has lines.
 */
export async function namesInRoster(named: readonly string[], host: Host): Promise<NamesInRoster> {
  const sources = await readRosterFiles(named.length > 0 ? named : await pathsOfSettings(host), host);
  const text = sources.ok ? sources.value.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n") : "";
  return namesIn(text);
}

async function pathsOfSettings(host: Host): Promise<readonly string[]> {
  const settings = await findSettingsFile(host);
  const file = settings.ok ? settings.value : undefined;
  return file?.roster?.map((path) => join(file.shownDirectory, path)) ?? ["."];
}

/** The names in a text, told by the keys that stand before them. */
export function namesIn(text: string): NamesInRoster {
  const found = {
    email: new Set<string>(),
    name: new Set<string>(),
    prefix: new Set<string>(),
    account: new Set<string>(),
  };
  for (const written of text.split("\n")) {
    const line = written.replace(/(?:^|\s)#[^"']*$/u, "");
    for (const [, key, value] of line.matchAll(pair)) {
      const name = nameOf(value ?? "", line);
      if (name === undefined) continue;
      if (key === "email" || key === "name" || key === "account") found[key].add(name);
      else found.prefix.add(name);
    }
  }
  const { email, name, prefix, account } = found;
  return { people: sorted(email), teams: sorted(name), keys: sorted(prefix), accounts: sorted(account) };
}

const pair =
  /(?<![\w-])["']?(email|name|prefix|key|account)["']?:\s+("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[{#][^\n]*)/gu;

function nameOf(written: string, line: string): string | undefined {
  const text = unquoted(written, line.includes("{") ? /[,}\]].*$|\s+#.*$/u : /,?\s*$|\s+#.*$/u);
  return text === undefined || text === "" || text.length > 200 || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)
    ? undefined
    : text;
}

function unquoted(written: string, end: RegExp): string | undefined {
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  if (!written.startsWith('"')) return written.replace(end, "").trim();
  try {
    return String(JSON.parse(written));
  } catch {
    return undefined;
  }
}

function sorted(names: ReadonlySet<string>): readonly string[] {
  return [...names].sort();
}
