// Which view is shown, how often it is asked for again, and logging in.

/** Views: name in the address, title, function, and seconds after which it is asked for again (0: never). */
const VIEWS = [
  ["overview", "Overview", overview, 2],
  ["tables", "Tables", tables, 5],
  ["lsm", "LSM now", levels, 2],
  ["timeline", "Timeline", timeline, 2],
  ["slow", "Slow requests", slow, 5],
  ["memory", "Memory", memory, 5],
  ["settings", "Settings", settings, 0],
  ["keys", "Keys", keys, 0],
  ["api", "API", description, 0],
];

let timer = 0;
let shown = null;

function current() {
  const name = location.hash.slice(1) || "overview";
  return VIEWS.find((view) => view[0] === name) || VIEWS[0];
}

function trouble(error) {
  const line = document.getElementById("trouble");
  if (error && error.status === 401) return logIn(error.message);
  line.hidden = !error;
  const text = error instanceof TypeError ? "The server does not answer." : error && `${error.message}.`;
  // Only when it changes: screen readers read it each time.
  if (line.textContent !== (text || "")) line.textContent = text || "";
  return null;
}

/** Shows the form for a name and a password. */
function logIn(why) {
  const main = document.getElementById("main");
  if (document.getElementById("password")) return null;
  state.isAsking = true;
  const user = el("input", { id: "user", autocomplete: "username", value: "default", required: true });
  const password = el("input", { id: "password", type: "password", autocomplete: "current-password" });
  const problem = el("p", { class: "state-error", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    const body = JSON.stringify({ user: user.value, password: password.value });
    try {
      await api("/login", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    } catch (error) {
      problem.textContent = `${error.message}.`;
      return;
    }
    state.isAsking = false;
    shown = null;
    await who();
    show();
  };
  fill(main, el("h2", null, "Log in"), el("p", null, `${why}.`),
    el("form", { class: "controls", submit }, el("label", null, "User", user), el("label", null, "Password", password), el("button", { id: "login" }, "Log in")), problem);
  password.focus();
  return null;
}

/** Shows who is logged in. */
async function who() {
  const reply = await api("/session").catch(trouble);
  state.token = reply && reply.token;
  const out = async () => {
    await api("/logout", { method: "POST", headers: { "X-Ferrolith-Token": state.token } }).catch(trouble);
    location.reload();
  };
  fill(document.getElementById("who"), reply ? `User ${reply.user} ` : "", state.token ? el("button", { id: "logout", class: "link", click: out }, "Log out") : "");
}

async function show(isForced) {
  clearTimeout(timer);
  const view = current();
  const main = document.getElementById("main");
  const isNew = shown !== view;
  shown = view;
  // A view of its own element, so that a late reply cannot fill another view.
  if (isNew && !state.isAsking) fill(main, el("div", null, el("p", null, "Loading …")));
  const stage = main.firstElementChild;
  document.title = `${view[1]} – Ferrolith server`;
  for (const link of document.querySelectorAll("#views a")) {
    if (link.hash === `#${view[0]}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // Somebody who reads a chart or chooses is not disturbed.
  const isBusy = !isNew && !isForced && main.querySelector("figure:hover, select:focus, svg:focus");
  if (!state.isAsking && !document.hidden && !isBusy) {
    try {
      await view[2](stage, () => show(true));
      if (!state.isAsking) trouble(null);
      if (current() === view) main.dataset.view = view[0];
    } catch (error) {
      trouble(error);
    }
  }
  clearTimeout(timer);
  if (view[3] && current() === view) timer = setTimeout(show, view[3] * 1000);
}

fill(document.getElementById("views"), VIEWS.map(([name, title]) => el("li", null, el("a", { href: `#${name}` }, title))));
addEventListener("hashchange", () => show());
document.addEventListener("visibilitychange", () => { if (!document.hidden) show(); });
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); document.getElementById("main").focus(); });
who().then(() => show());
