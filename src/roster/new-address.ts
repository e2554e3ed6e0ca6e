import type { JsonSchema } from "../model/declare.ts";
import { address } from "./decode-text.ts";

// What `unsafeAddressReason` refuses, as far as regular expressions can say it that every editor reads.
const unquoted = String.raw`[^@\s/?#%\\:"<>(),;\[\]]+`;
const unseen = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
const lookalikes = String.raw`\u2024-\u2026\u2100\u2101\u2105\u2106\u2460-\u24e9\ufb00-\ufb06\uff01-\uff5e`;
const signs = String.raw`!$&'*+=^\x60{|}~\u00a0-\u00b6\u00b8-\u00bf\u00d7\u00f7\u2010-\u20cf\u2100-\u2125\u2127-\u212a\u212c-\u2131\u2133-\u214d\u2150-\u217f\u2190-\u2bff\u3001-\u3004\u3008-\u3020\u3131-\u318e\u3200-\u33ff\ufb00-\ufb06\ufe10-\ufe19\ufe30-\ufe44\ufe50-\ufe6b\uff01-\uffee\u{1d400}-\u{1d7ff}\u{1f000}-\u{1faff}`;
const label = String.raw`[^.@\-]([^.@]*[^.@\-])?`;
const localPart = String.raw`[^.@\-](([^.@]|\.(?!\.))*[^.@\-])?`;

function rule(description: string, pattern: string): JsonSchema {
  return { description, type: "string", pattern };
}

/** Rules about a text that ends with a domain, after `before`. */
function domainRules(before: string): readonly JsonSchema[] {
  return [
    rule("No invisible characters.", `^[^${unseen}]*$`),
    rule("No full-width or circled letters and signs.", `^[^${lookalikes}]*$`),
    rule("No other signs in the domain.", `${before}[^${signs}]*$`),
    rule(
      "No empty part of the domain, no hyphen at the beginning or end of a part.",
      `${before}${label}(\\.${label})*$`,
    ),
  ];
}

/** A domain, with or without the `@` before it. */
export const domainSchema: JsonSchema = {
  description: "A domain, such as acme.example.",
  type: "string",
  allOf: [
    rule(String.raw`Without / ? # % \ : < > ( ) , ; [ ], quotes and spaces.`, `^@?${unquoted}$`),
    ...domainRules("^@?"),
  ],
  examples: ["acme.example"],
};

export const newAddressSchema: JsonSchema = {
  description: "An email address for a new user. It contains nothing that mail servers, URLs or people can misread.",
  type: "string",
  allOf: [
    address.schema,
    rule(String.raw`One @, and no / ? # % \ : < > ( ) , ; [ ], quotes or spaces.`, `^${unquoted}@${unquoted}$`),
    rule("Before the @: no dot or hyphen at the beginning or end, no two dots in a row.", `^${localPart}@`),
    ...domainRules("@"),
  ],
  examples: ["ada@acme.example"],
};
