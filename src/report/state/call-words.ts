import type { Intent } from "../../model/event.ts";
import type { OpenIntent, State } from "../../model/state.ts";

/** What a call asked for, to follow "a run began to"; not yet made safe. */
export function formatIntent(intent: Intent): string {
  switch (intent.kind) {
    case "create-user": {
      const team = intent.founds === undefined ? "" : `, and with them the team ${intent.founds.name}`;
      return `create ${intent.email} in ${intent.account}${team}`;
    }
    case "add-members":
      if (intent.again === true)
        return `invite ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account} once more`;
      return `add ${intent.addresses.join(", ")} to the team ${intent.name} of ${intent.account}`;
    case "replace-roles":
      return intent.roles.length === 0
        ? `take every role from the key ${intent.prefix}`
        : `give the key ${intent.prefix} exactly ${intent.roles.join(", ")}`;
  }
}

/** What the state knows of the service. */
type ServiceKnowledge = Pick<State, "capabilities" | "queues">;

/** Why reading could not tell what became of a call, by what the service was last found to show; without a trailing stop. */
export function explainUnsettled({ intent, accepted }: OpenIntent, { capabilities, queues }: ServiceKnowledge): string {
  if (accepted === true) return "the service took the call for later, and no read shows it done yet";
  if (queues !== undefined && intent.kind !== "replace-roles")
    return "no read shows it done yet, and the service may have taken the call for later, as it does with others";
  switch (intent.kind) {
    case "create-user":
      return "no read shows the user yet, and before the consistency window is over that proves nothing";
    case "add-members":
      return capabilities?.learned.teamsOnKeys === "shown"
        ? "no read shows the people in the team yet, and before the consistency window is over that proves nothing"
        : "the service does not show to which teams people belong";
    case "replace-roles":
      return "no plan has compared the roles of the key since; the next one does";
  }
}
