import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  type Decoded,
  decodeList,
  errorMessage,
  lastPageInHeader,
  nextPageInHeader,
} from "../../../../src/service/decode/json.ts";
import { decodeKey, decodeReplacedRoles, decodeRole } from "../../../../src/service/decode/key.ts";
import { decodeAccount, decodeFound, decodeListedAccount, decodeUser } from "../../../../src/service/decode/user.ts";
import {
  type CreationAnswer,
  decodeAddedMembers,
  decodeCreatedUser,
  showsCreatedUser,
} from "../../../../src/service/decode/write-answers.ts";
import { plainText } from "../../../support/plain-text.ts";

/** What a case says beside its body. */
interface Options extends Partial<Omit<CreationAnswer, "date">> {
  /** That of a creation's answer; null where it has none. */
  readonly date?: string | null;
  /** The name of the team that was asked for with a new user. */
  readonly team?: string;
  /** The roles that were sent. */
  readonly sent?: readonly string[];
}

/** What the sections of `decodings.txt` decode. */
const decoders: Readonly<Record<string, (body: never, options: Options) => Decoded<unknown>>> = {
  "a created user": (body, { team, date = "Fri, 20 Nov 2026 10:00:00 GMT", ...answer }) =>
    decodeCreatedUser({ status: 201, body, ...answer, ...(date === null ? {} : { date }) }, team),
  "added members": decodeAddedMembers,
  "replaced roles": (body, { sent = ["A"] }) => decodeReplacedRoles(body, sent),
  "a list": decodeList,
  Link: (body) => said({ next: nextPageInHeader(body), last: lastPageInHeader(body) }),
  "found users": decodeFound,
  "a user": (body) => decodeUser(body, "list"),
  "a key": (body) => said(decodeKey(body)),
  "a role": decodeRole,
  "an account": (body) => decodeAccount(body, "acc-1"),
  "a listed account": decodeListedAccount,
  "an error": (body) => said(errorMessage(body)),
  "whether a creation is shown": (body) => said(showsCreatedUser(body)),
};

function said(value: unknown): Decoded<unknown> {
  return { ok: true, value };
}

/**
 * A line of each case: its title, the body as YAML or `nothing`, perhaps options, and what is understood, after `→`
 * or, where that is long, on the next line. RECORD=1 writes what is understood today.
 */
const path = new URL("./decodings.txt", import.meta.url);
const widest = 150;
const sections = readFileSync(path, "utf8")
  .replaceAll(/\n {2}→/gu, " →")
  .split(/^== /mu)
  .slice(1)
  .map((section) => {
    const [name = "", ...lines] = section.trimEnd().split("\n");
    return { name, lines };
  });

function decoded(name: string, line: string): string {
  const [question = ""] = line.split(" →");
  const [, body = "", options = "{}"] = question.split(/(?:^| )\| /u);
  const decode = decoders[name];
  if (decode === undefined) throw new Error(`nothing decodes ${name}`);
  const understood = decode((body === "nothing" ? undefined : parse(body)) as never, parse(options) as Options);
  const told = understood.ok ? plainText(understood.value) : `not understood: ${plainText(understood.error)}`;
  return `${question} → ${told}`;
}

const isCase = (line: string) => /(?:^| )\| /u.test(line);

describe.each(sections)("$name", ({ name, lines }) => {
  test.each(lines.filter(isCase))("%s", (line) => {
    const now = decoded(name, line);
    if (process.env["RECORD"] === undefined) expect(now).toBe(line);
    expect(now.split(" →")[1]).not.toContain("SECRET");
  });
});

test.runIf(process.env["RECORD"] !== undefined)("what is understood is recorded", () => {
  const text = sections.map(({ name, lines }) => {
    const drawn = lines.map((line) => (isCase(line) ? decoded(name, line) : line));
    return [`== ${name}`, ...drawn.map((line) => (line.length > widest ? line.replace(" →", "\n  →") : line))].join(
      "\n",
    );
  });
  writeFileSync(path, `${text.join("\n\n")}\n`);
});
