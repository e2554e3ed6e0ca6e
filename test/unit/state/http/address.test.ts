import { describe, expect, test } from "vitest";
import { type ServerSettings, serverPlace } from "../../../../src/state/http/address.ts";

const gitlab = "https://gitlab.example/api/v4/projects/7/terraform/state/roster";

/** A place with its routes as `METHOD address`. */
function shownPlace(address: string, said: ServerSettings = {}) {
  const place = serverPlace(address, said);
  if (!place.ok) return place.error;
  const { shown, credentials, ...routes } = place.value;
  const named = Object.entries(routes).map(([name, { method, url }]) => [name, `${method} ${url.href}`]);
  return { shown, ...(credentials === undefined ? {} : { credentials }), ...Object.fromEntries(named) };
}

describe("the place of a state at a server", () => {
  test("is locked by LOCK and UNLOCK at its own address, and its credentials and its query are not shown", () => {
    expect(shownPlace("https://ada:p%40ss@server.example/state/roster?token=secret")).toEqual({
      shown: "https://server.example/state/roster",
      credentials: { username: "ada", password: "p@ss" },
      read: "GET https://server.example/state/roster?token=secret",
      update: "POST https://server.example/state/roster?token=secret",
      lock: "LOCK https://server.example/state/roster?token=secret",
      unlock: "UNLOCK https://server.example/state/roster?token=secret",
    });
  });

  test("at GitLab is locked by its own routes", () => {
    expect(shownPlace(gitlab, { username: "gitlab-ci-token", password: "job" })).toEqual({
      shown: gitlab,
      credentials: { username: "gitlab-ci-token", password: "job" },
      read: `GET ${gitlab}`,
      update: `POST ${gitlab}`,
      lock: `POST ${gitlab}/lock`,
      unlock: `DELETE ${gitlab}/lock`,
    });
  });

  test("takes other addresses and methods of the same origin; a lock address is the unlock address as well", () => {
    const said = {
      lockAddress: "https://s.example/locks/7",
      lockMethod: "PUT",
      unlockMethod: "PATCH",
      updateMethod: "PUT",
    };
    expect(shownPlace("https://s.example/state", said)).toEqual({
      shown: "https://s.example/state",
      read: "GET https://s.example/state",
      update: "PUT https://s.example/state",
      lock: "PUT https://s.example/locks/7",
      unlock: "PATCH https://s.example/locks/7",
    });
    expect(shownPlace(gitlab, { unlockAddress: "https://gitlab.example/away", unlockMethod: "POST" })).toMatchObject({
      lock: `POST ${gitlab}/lock`,
      unlock: "POST https://gitlab.example/away",
    });
  });

  test.each(["http://127.0.0.1:8080/s", "http://localhost/s", "http://[::1]/s", "http://a.localhost/s"])(
    "%s is of this machine and need not be encrypted",
    (address) => expect(shownPlace(address)).toMatchObject({ shown: address }),
  );

  test.each<[string, string, ServerSettings, string]>([
    ["no address", "https://", {}, "The state address is not a URL."],
    ["another scheme", "ftp://s.example/x", {}, "The state address is not an HTTP URL."],
    ["a fragment", "https://s.example/x#y", {}, "The state address https://s.example/x carries a fragment."],
    [
      "plain http",
      "http://u:pw@s.example/x?t=1",
      {},
      "The state address http://s.example/x would send the state unencrypted. The state names people and contains the ID of the lock.",
    ],
    [
      "a lock elsewhere",
      "https://s.example/x",
      { lockAddress: "https://t.example/x" },
      "The state server's lock address https://t.example/x is not at https://s.example, where the state is, or holds credentials of its own.",
    ],
    [
      "an unlock with credentials",
      "https://s.example/x",
      { unlockAddress: "https://u:pw@s.example/x" },
      "The state server's unlock address https://s.example/x is not at https://s.example, where the state is, or holds credentials of its own.",
    ],
    [
      "a strange method",
      "https://s.example/x",
      { updateMethod: "post" },
      "The update method of the state server is not an HTTP method.",
    ],
    [
      "two passwords",
      "https://u:pw@s.example/x",
      { password: "other" },
      "Both the state address and the environment contain credentials.",
    ],
    [
      "two users",
      "https://u@s.example/x",
      { username: "other" },
      "Both the state address and the environment contain credentials.",
    ],
    ["a password of nobody", "https://s.example/x", { password: "pw" }, "The state has a password but no user name."],
    [
      "a colon in the name",
      "https://s.example/x",
      { username: "a:b" },
      "The user name for the state contains a colon.",
    ],
  ])("with %s is refused", (_, address, said, message) => {
    const place = serverPlace(address, said);
    expect(place.ok ? place.value : place.error.message).toBe(message);
    expect(JSON.stringify(place)).not.toMatch(/pw|other/u);
  });
});
