/** What is right about an address of a new user. Everything that looks at addresses is held to it. */
export interface AddressRow {
  readonly address: string;
  /** `warned`: created, with a warning. `single-label`: refused by `validate` alone. `no-address`: names nobody at all. */
  readonly verdict: "created" | "warned" | "single-label" | "refused" | "no-address";
  /** Why the editor's schema accepts it all the same. */
  readonly unseenByEditor?: string;
}

const noTables = "its patterns name ranges of other forms, not each letter that Unicode has in another form";

const created = [
  "ada@acme.example",
  "ADA@ACME.EXAMPLE",
  "ada.lovelace@acme.example",
  "ada+roster@acme.example",
  "o'brien@acme.example",
  "ada_lovelace@acme.example",
  "ada-lovelace@acme.example",
  "a@b.c",
  "1815@acme.example",
  "ada!b$c&d*e=f^g`h{i|j}k~@acme.example",
  "ada@sub.acme.example",
  "ada@acme-labs.example",
  "ada@4711.example",
  "ada@my_host.example",
  "ada@bücher.example",
  "ada@BÜCHER.example",
  "ada@xn--bcher-kva.example",
  "ada@bu\u0308cher.example",
  "ada@straße.example",
  "ada@例え.テスト",
  "ada@пример.испытание",
  "ada@l·l.example",
];

const warned = [
  "adé@acme.example",
  "Åda@acme.example",
  "а\u0434а@acme.example",
  "用户@例え.テスト",
  "ade\u0301@acme.example",
];

const singleLabel = ["ada@localhost", "ada@intranet", "ada@bücher"];

const refused = [
  // What a URL reads as the end of a host.
  "ada@acme.example/é.evil.example",
  "ada@acme.example/evil.example",
  "ada@acme.example?é.evil.example",
  "ada@acme.example#é.evil.example",
  "ada@acme.example\\é.evil.example",
  "ada@acme.example:80",
  "ada@acme.example:é",
  "ada@%61cme.example",
  "ada@acme%2eexample",
  "ada/ops@acme.example",
  "ada?subject=x@acme.example",
  "ada#1@acme.example",
  "ada%evil.example@acme.example",
  "ada\\@acme.example",
  "ada:secret@acme.example",
  // More people than one, or none.
  "ada@bo@acme.example",
  "ada@@acme.example",
  "ada,bo@acme.example",
  "ada;bo@acme.example",
  "<ada@acme.example>",
  "ada(work)@acme.example",
  "ada@[127.0.0.1]",
  '"ada"@acme.example',
  '"ada lovelace"@acme.example',
  'ada"x"@acme.example',
  // What nobody sees.
  "ad\u200ba@acme.example",
  "ada\u200d@acme.example",
  "ada\u2060@acme.example",
  "\u202eada@acme.example",
  "ada@ac\u00adme.example",
  "ada@acme\u200c.example",
  "ada@acme.example\u2066",
  "ada\ufe0f@acme.example",
  "ada\u3164@acme.example",
  // Empty parts, dots and hyphens.
  "ada@acme..example",
  "ada@.acme.example",
  "ada@acme.example.",
  "ada@.",
  ".ada@acme.example",
  "ada.@acme.example",
  "ada..lovelace@acme.example",
  "-ada@acme.example",
  "ada-@acme.example",
  "ada@-acme.example",
  "ada@acme-.example",
  "ada@acme.-example",
  "ada@acme.example-",
  // Another form of a letter, a dot or a sign.
  "ada@ａcme.example",
  "ada@acme。example",
  "ada@acme．example",
  "ada@acme／evil.example",
  "ada@acme\u212a.example",
  "ada@acme℀.example",
  "ada@ⓐcme.example",
  "ada@𝐚cme.example",
  "ada＠evil.example@acme.example",
  "ada@❤.example",
  "ada@acme!.example",
  "ada@acme'.example",
];

const noAddress = [
  "ada",
  "@acme.example",
  "ada@",
  "@",
  "ada lovelace@acme.example",
  "ada@acme .example",
  "ada @acme.example",
];

export const addressTable: readonly AddressRow[] = [
  ...created.map((address) => ({ address, verdict: "created" as const })),
  ...warned.map((address) => ({ address, verdict: "warned" as const })),
  ...singleLabel.map((address) => ({ address, verdict: "single-label" as const })),
  ...refused.map((address) => ({ address, verdict: "refused" as const })),
  { address: "ada@ﻻcme.example", verdict: "refused", unseenByEditor: noTables },
  { address: "ada@\u0e97\u0eb3.example", verdict: "refused", unseenByEditor: noTables },
  ...noAddress.map((address) => ({ address, verdict: "no-address" as const })),
];
