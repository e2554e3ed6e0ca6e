import { expect, test } from "vitest";
import { defaultKnobs } from "../../../../src/reference-server/knobs/registry.ts";
import {
  parseSortOrder,
  SortCache,
  type SortColumns,
  type SortOrder,
} from "../../../../src/reference-server/routes/sorting.ts";
import { runningServer } from "../running-server.ts";

interface Row {
  name: string;
  readonly key: string;
}

const columns: SortColumns<Row> = new Map([
  ["name", (row: Row) => row.name],
  ["accessKeys.prefix", (row: Row) => row.key],
]);

function arrangement(query: string): SortOrder<Row> {
  const found = parseSortOrder(new URLSearchParams(query), columns, defaultKnobs);
  if (found === "as-they-are" || "is" in found) throw new Error(`${query} asks for no order`);
  return found;
}

/** Fifteen hundred rows with few names, so that many stand beside others of their name. */
const rows = (): Row[] => Array.from({ length: 1500 }, (_, index) => ({ name: `n${index % 7}`, key: `${index % 11}` }));

test.each(["sort-by=name", "sort-by=name&direction=DESC", "direction=DESC"])(
  "what is added at the end of a long list stands where sorting anew would put it: %s",
  (query) => {
    const lists = new SortCache();
    const items = rows();
    const order = arrangement(query);
    const edits = { items: 0, keys: 0 };
    const first = lists.places(items, order, edits);
    for (const name of ["n3", "n0", "a", "z", "n3"]) items.push({ name, key: "" });
    const second = lists.places(items, order, { items: 0, keys: 5 });
    expect(second).toEqual(order.places(items));
    expect(second).toBe(first);
  },
);

test.each([
  ["an edit of an item", "sort-by=name", { items: 1, keys: 0 }],
  ["an edit of a key, where keys decide", "sort-by=accessKeys.prefix,name", { items: 0, keys: 1 }],
])("after %s a long list is sorted anew", (_, query, edits) => {
  const lists = new SortCache();
  const items = rows();
  const order = arrangement(query);
  lists.places(items, order, { items: 0, keys: 0 });
  items[1400] = { name: "a", key: "-" };
  expect(lists.places(items, order, edits)).toEqual(order.places(items));
});

test("only the last few orders are kept", () => {
  const lists = new SortCache();
  const items = rows();
  const edits = { items: 0, keys: 0 };
  const first = lists.places(items, arrangement("sort-by=name"), edits);
  for (let times = 1; times <= 8; times += 1) {
    lists.places(items, arrangement(`sort-by=name${",name".repeat(times)}`), edits);
  }
  expect(lists.places(items, arrangement("sort-by=name"), edits)).not.toBe(first);
});

test("a long list of users stays sorted while the service changes", async () => {
  const users = rows().map(({ name }, index) => ({ email: `u${index}@x.example`, firstName: name, lastName: "X" }));
  const server = await runningServer({ seed: { users } });
  const first = async (query: string): Promise<string> => {
    const { body } = await server.call("GET", `/api/accounting/users?per-page=1&${query}`);
    return (body as { email: string }[])[0]?.email ?? "nobody";
  };
  expect([await first("sort-by=firstName"), await first("sort-by=email&direction=DESC")]).toEqual([
    "root@reference.example",
    "u9@x.example",
  ]);
  await server.call("POST", "/api/accounting/accounts/acc-1/users", {
    email: "zoe@x.example",
    firstName: "A",
    lastName: "X",
  });
  expect([await first("sort-by=firstName"), await first("sort-by=email&direction=DESC")]).toEqual([
    "zoe@x.example",
    "zoe@x.example",
  ]);
  server.world.changeProfile("zoe@x.example", { firstName: "z" });
  server.world.changeEmail("u7@x.example", "zz@x.example");
  expect([await first("sort-by=firstName"), await first("sort-by=email&direction=DESC")]).toEqual([
    "root@reference.example",
    "zz@x.example",
  ]);
  server.world.removeUser("zz@x.example");
  expect(await first("sort-by=email&direction=DESC")).toBe("zoe@x.example");
});
