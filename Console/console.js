// Signs in by the link in the address, and says who is signed in.

const session = "/operators/v1/session";

async function start() {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (link) {
    history.replaceState(null, "", location.pathname + location.search);
    await fetch(session, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ link }),
    });
  }
  const response = await fetch(session);
  const answer = await response.json();
  const text = response.ok ? `${answer.operator}, ${answer.role}` : `${answer.error.message} ${answer.error.hint}`;
  document.getElementById("root").textContent = text;
}

start();
