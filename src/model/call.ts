import * as t from "./declare.ts";
import { failure, request } from "./failure.ts";
import { address, name, ownership, profile, roles, team, text, time } from "./values.ts";

export type ServerDate = t.Static<typeof serverDate>;
export const serverDate = t.object("A time by the clock of the account service, or of the store of the log.", {
  by: t.oneOf("service", "store"),
  at: time,
});

export type CreationIntent = t.Static<typeof creationIntent>;
const creationIntent = t.object({
  kind: t.literal("create-user"),
  address,
  email: name,
  account: name,
  sent: profile,
  createsTeam: t.optional(t.object({ team, name, accessKeyRoles: roles, admin: t.optional(address) })),
  request: t.optional(request),
  ownership: t.optional(ownership),
});

/** All that is needed to resolve a call by reading, without its plan. */
export type Intent = t.Static<typeof intent>;
export const intent = t.described(
  t.anyOf(
    creationIntent,
    t.object({
      kind: t.literal("add-members"),
      team,
      name,
      account: name,
      identifier: name,
      addresses: t.list(address, { minItems: 1 }),
      requests: t.optional(t.list(t.object({ address, request }), "What the plan asks for each of them.")),
      ownerships: t.optional(
        t.list(t.object({ address, ownership }), { minItems: 1, description: "Whose their memberships are." }),
      ),
    }),
    t.object({
      kind: t.literal("replace-roles"),
      prefix: name,
      roles,
      owner: t.optional(address),
      team: t.optional(team),
      name: t.optional(text),
      before: t.optional(roles),
      request: t.optional(request),
      ownership: t.optional(ownership),
    }),
  ),
  "What roster needs to resolve a call by reading.",
);

export type IntentOf<Kind extends Intent["kind"]> = Extract<Intent, { readonly kind: Kind }>;

export type OpenIntent = t.Static<typeof openIntent>;
export const openIntent = t.object({
  run: name,
  action: name,
  /** When the call was announced, or until when it may have been on its way where that is known: a time to come at first. */
  at: time,
  /** Until when it may have been on its way, at the latest, by a clock that nobody sets on this machine. */
  dated: t.optional(serverDate),
  accepted: t.optional(t.literal(true), "The service took the call and may do it later."),
  former: t.optional(t.literal(true), "The service started anew since: its identifier may be another team's now."),
  /** The service would not create the user; who stands behind that was not read to the end. */
  declined: t.optional(failure),
  intent,
});
