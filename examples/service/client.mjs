// The set to show for a secret, with Node alone: node client.mjs URL TOKEN_FILE < request.json
import { readFileSync } from "node:fs";

/** The members of the set to show. An error has the `code` of the service, and the secret must not be shown. */
export async function draw(url, token, secret, scope) {
  const answer = await fetch(`${url}/draw`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ secret, scope }),
    signal: AbortSignal.timeout(10_000),
  });
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.error.message), { code: said.error.code });
  return said.members;
}

if (process.argv[1] === import.meta.filename || process.argv[1]?.endsWith("client.mjs")) {
  const [url, file] = process.argv.slice(2);
  const { secret, scope } = JSON.parse(readFileSync(0, "utf8"));
  console.log(JSON.stringify(await draw(url, readFileSync(file, "utf8").trim(), secret, scope)));
}
