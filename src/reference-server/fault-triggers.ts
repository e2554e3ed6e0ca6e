/** The routes of the service by one word each. */
const routeNames = ["accounts", "account", "create", "search", "list", "members", "roles", "keys"] as const;

export type RouteName = (typeof routeNames)[number];

/** A route, or several at once: every one, those that read (searching is reading) or those that write. */
type RouteSelector = RouteName | "any" | "reads" | "writes";

/**
 * Which of the requests to a route are meant: the one with that number (from 1), those up to a number, those from a number on,
 * every so many, or all.
 */
export type FaultTrigger =
  `${RouteSelector}@${number | `first-${number}` | `from-${number}` | `every-${number}` | "all"}`;

const writingRoutes: ReadonlySet<RouteName> = new Set<RouteName>(["create", "members", "keys"]);

export function isWriting(route: RouteName): boolean {
  return writingRoutes.has(route);
}

const triggerPattern = new RegExp(
  `^(?:${[...routeNames, "any", "reads", "writes"].join("|")})@(?:(?:first-|from-|every-)?[1-9]\\d{0,8}|all)$`,
  "u",
);

/** `never`, or occasions separated by commas; undefined for anything else. */
export function parseFaultTriggers(text: string): readonly FaultTrigger[] | undefined {
  if (text === "never") return [];
  const words = text.split(",").map((word) => word.trim());
  return words.every(isFaultTrigger) ? words : undefined;
}

function isFaultTrigger(word: string): word is FaultTrigger {
  return triggerPattern.test(word);
}

export class RequestCounts {
  readonly #counts = new Map<RouteName, number>();

  /** Returns which request to this route it is, from 1. */
  add(route: RouteName): number {
    const number = this.#of(route) + 1;
    this.#counts.set(route, number);
    return number;
  }

  reset(): void {
    this.#counts.clear();
  }

  /** Whether the request that was counted last, to this route, is one of these. */
  isOneOf(occasions: readonly FaultTrigger[], route: RouteName): boolean {
    return occasions.some((occasion) => {
      const [word = "", which = ""] = occasion.split("@");
      return coversRoute(word, route) && includesNumber(which, this.#sum(word));
    });
  }

  #sum(word: string): number {
    return routeNames.filter((name) => coversRoute(word, name)).reduce((sum, name) => sum + this.#of(name), 0);
  }

  #of(route: RouteName): number {
    return this.#counts.get(route) ?? 0;
  }
}

function coversRoute(word: string, route: RouteName): boolean {
  if (word === "any" || word === route) return true;
  return isWriting(route) ? word === "writes" : word === "reads";
}

function includesNumber(which: string, number: number): boolean {
  if (which === "all") return true;
  const [, how = "", written = ""] = /^([a-z]+-)?(\d+)$/u.exec(which) ?? [];
  const named = Number(written);
  switch (how) {
    case "first-":
      return number <= named;
    case "from-":
      return number >= named;
    case "every-":
      return number % named === 0;
    default:
      return number === named;
  }
}
