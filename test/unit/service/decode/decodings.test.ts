import { expect } from "vitest";
import { parse } from "yaml";
import {
  type Decoded,
  decodeList,
  errorMessage,
  lastPageInHeader,
  nextPageInHeader,
} from "../../../../src/service/decode/json.ts";
import {
  decodeAccount,
  decodeFound,
  decodeKey,
  decodeListedAccount,
  decodeReplacedRoles,
  decodeRole,
  decodeUser,
} from "../../../../src/service/decode/observed.ts";
import {
  type CreationAnswer,
  decodeAddedMembers,
  decodeCreatedUser,
  showsCreatedUser,
} from "../../../../src/service/decode/write-answers.ts";
import { plainText } from "../../../support/plain-text.ts";
import { testTextCases } from "../../../support/text-cases.ts";

/** What a case says beside its body. */
interface Options extends Partial<Omit<CreationAnswer, "date">> {
  /** That of a creation's answer; null where it has none. */
  readonly date?: string | null;
  /** The name of the team that was asked for with a new user. */
  readonly team?: string;
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

/** A section names what is decoded; after its title, a line has the body as YAML or `nothing`, and perhaps options. */
testTextCases(new URL("./decodings.txt", import.meta.url), (section, [body = "", options = "{}"]) => {
  const decode = decoders[section];
  if (decode === undefined) throw new Error(`nothing decodes ${section}`);
  const understood = decode((body === "nothing" ? undefined : parse(body)) as never, parse(options) as Options);
  const told = plainText(understood.ok ? understood.value : understood.error);
  expect(told).not.toContain("SECRET");
  return understood.ok ? told : `not understood: ${told}`;
});
