import type { Call } from "../call.ts";
import { answerPage, arranged, type Collection } from "../collection.ts";
import type { User } from "../entities.ts";
import { answer, isRefusal, type Reply, refuse } from "../reply.ts";
import { tellPage } from "./tell-page.ts";

/** What one text of a search found. */
export interface Hit {
  readonly asked: string;
  readonly users: readonly User[];
}

type UserColumns = Pick<Collection<User>, "columns" | "show">;

/** What a search found: users once each, or what was found for each text, as this service answers it. */
export function tellFound(call: Call, hits: readonly Hit[], { columns, show }: UserColumns): Reply {
  const items = [...new Set(hits.flatMap((hit) => hit.users))];
  const found: Collection<User> = { name: "users", items, columns, show };
  switch (call.knobs.search) {
    case "S1":
      return tellUsers({ ...call, knobs: { ...call.knobs, envelope: "L1", laterEnvelope: "same" } }, found);
    case "S2":
      return tellUsers(call, found);
    case "S3":
      return answer(200, Object.fromEntries(hits.map((hit) => [hit.asked, first(hit, show)])));
    case "S4":
      return answer(
        200,
        hits.map((hit) => first(hit, show)),
      );
    case "S5":
      return items.length === 0 ? refuse(404, "No user was found") : tellWhole(call, found);
    case "S6": {
      const missed = hits.filter((hit) => hit.users.length === 0);
      return answer(200, { found: items.map(show), notFound: missed.map((hit) => hit.asked) });
    }
    case "S7":
      return items[0] !== undefined && items.length === 1 ? answer(200, show(items[0])) : tellWhole(call, found);
  }
}

function first({ users }: Hit, show: (user: User) => unknown): unknown {
  return users[0] === undefined ? null : show(users[0]);
}

function tellUsers(call: Call, found: Collection<User>): Reply {
  const asksForPage = call.query.has("page") || call.query.has("per-page");
  switch (call.knobs.searchPages) {
    case "whole":
      return asksForPage ? answerPage(call, found) : tellAsOnePage(call, found);
    case "paged":
      return answerPage(call, found);
    case "first-ten":
      return tellAsOnePage(call, { ...found, items: found.items.slice(0, 10) });
  }
}

/** In the envelope of lists, as the only page; a bare array has no links then. */
function tellAsOnePage(call: Call, found: Collection<User>): Reply {
  if (call.knobs.envelope === "L1") return tellWhole(call, found);
  const rows = arranged(call, found);
  if (isRefusal(rows)) return rows;
  const page = { index: 0, perPage: Math.max(1, rows.length), last: 0, start: 0, end: rows.length, repeated: 0 };
  return tellPage(call, { name: found.name, page, rows: rows.map(found.show), total: rows.length });
}

function tellWhole(call: Call, found: Collection<User>): Reply {
  const rows = arranged(call, found);
  return isRefusal(rows) ? rows : answer(200, rows.map(found.show));
}
