import type { Capabilities, Visibility } from "../model/capabilities.ts";
import type { ServiceLearned } from "../model/event.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";

/** The event that remembers what this run has learned of the service; none where the state knew all of it. */
export function serviceLearned(
  { service, capabilities: learned }: Pick<Snapshot, "service" | "capabilities">,
  { capabilities }: State,
  at: string,
): ServiceLearned | undefined {
  const known = capabilities?.learned;
  const joined = known === undefined ? learned : mergeCapabilities(known, learned);
  if (isSameCapabilities(joined, known)) return undefined;
  return { type: "service-learned", at, service, capabilities: joined };
}

/** What no answer of this run could tell stays as it was known. */
function mergeCapabilities(known: Capabilities, learned: Capabilities): Capabilities {
  const join = (name: Exclude<keyof Capabilities, "paging">): Visibility =>
    learned[name] === "unknown" ? known[name] : learned[name];
  const { firstPage, largestPage = known.paging.largestPage } = learned.paging;
  return {
    keysOnUsers: join("keysOnUsers"),
    rolesOnKeys: join("rolesOnKeys"),
    teamsOnKeys: join("teamsOnKeys"),
    titles: join("titles"),
    totals: join("totals"),
    paging: {
      firstPage: firstPage === "unknown" ? known.paging.firstPage : firstPage,
      ...(largestPage === undefined ? {} : { largestPage }),
    },
  };
}

function isSameCapabilities(one: Capabilities, other: Capabilities | undefined): boolean {
  if (other === undefined) return false;
  const names = ["keysOnUsers", "rolesOnKeys", "teamsOnKeys", "titles", "totals"] as const;
  return (
    names.every((name) => one[name] === other[name]) &&
    one.paging.firstPage === other.paging.firstPage &&
    one.paging.largestPage === other.paging.largestPage
  );
}
