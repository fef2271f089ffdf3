//! The table of all programs that sweeps measure: for each row its servers, of which the backend is the first, and its
//! load generator.

use Load::{Go, Own, Wrk};
use Process::{Echo, Gateway, GoServer, Haproxy, Nginx};

/// A line of the table.
#[derive(Debug)]
pub struct Setup {
    pub name: &'static str,
    pub section: Section,
    pub servers: &'static [Process],
    pub load: Load,
}

/// The section of the page that contains the row. It decides the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Echo,
    Proxy,
}

/// A server, or a proxy for the server before it in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// `network echo server --kind`.
    Echo(&'static str),
    /// The program of go/rpc with this `--kind`.
    GoServer(&'static str),
    /// `network proxy serve` with these rules.
    Gateway(&'static str),
    Nginx,
    Haproxy,
}

/// A load generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// `network echo client --kind`.
    Own(&'static str),
    /// The program of go/rpc with this `--kind`.
    Go(&'static str),
    Wrk,
}

const ROUTE: &str = "[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'one'\n";
const REDACT: &str =
    "[[rule]]\nmatch = '01/12'\nvalue = 'eu'\nroute = 'one'\nremove = ['01/13/02']\n[[rule]]\nremove = ['01/13/02']\n";

const fn echo(name: &'static str, server: &'static [Process], load: Load) -> Setup {
    Setup { name, section: Section::Echo, servers: server, load }
}

const fn proxy(name: &'static str, servers: &'static [Process], load: Load) -> Setup {
    Setup { name, section: Section::Proxy, servers, load }
}

const PROXIED: Load = Own("y3-proxied");

pub const SETUPS: [Setup; 15] = [
    echo("y3-mux", &[Echo("y3")], Own("y3-mux")),
    echo("y3-pooled", &[Echo("y3")], Own("y3-pooled")),
    echo("json-mux", &[Echo("json")], Own("json-mux")),
    echo("json-pooled", &[Echo("json")], Own("json-pooled")),
    echo("tonic", &[Echo("tonic")], Own("tonic")),
    echo("grpc", &[GoServer("grpc")], Go("grpc")),
    echo("kitex-mux", &[GoServer("kitex-mux")], Go("kitex-mux")),
    echo("kitex-pooled", &[GoServer("kitex-pooled")], Go("kitex-pooled")),
    proxy("y3-backend", &[Echo("y3")], PROXIED),
    proxy("y3-route", &[Echo("y3"), Gateway(ROUTE)], PROXIED),
    proxy("y3-redact", &[Echo("y3"), Gateway(REDACT)], PROXIED),
    proxy("y3-chained", &[Echo("y3"), Gateway(ROUTE), Gateway(REDACT)], PROXIED),
    proxy("http-backend", &[Nginx], Wrk),
    proxy("nginx", &[Nginx, Nginx], Wrk),
    proxy("haproxy", &[Nginx, Haproxy], Wrk),
];

/// Returns the line with this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Setup> {
    SETUPS.iter().find(|setup| setup.name == name)
}

/// The name of another project's program, and its Debian package.
pub type Other = (&'static str, &'static str);
pub const NGINX: Other = ("/usr/sbin/nginx", "nginx-light");
pub const HAPROXY: Other = ("/usr/sbin/haproxy", "haproxy");
pub const WRK: Other = ("/usr/bin/wrk", "wrk");

impl Setup {
    /// True if the row needs the program of go/rpc.
    #[must_use]
    pub fn needs_go(&self) -> bool {
        matches!(self.load, Go(_))
    }

    /// The Debian packages of missing programs.
    #[must_use]
    pub fn missing(&self, is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let needed = [
            (self.servers.contains(&Haproxy), HAPROXY),
            (self.servers.contains(&Nginx), NGINX),
            (self.load == Wrk, WRK),
        ];
        needed
            .into_iter()
            .filter(|(is_needed, (path, _))| *is_needed && !is_there(path))
            .map(|(_, (_, name))| name)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_the_packages_that_it_misses_and_no_others() {
        let missing =
            |name, there: &[&str]| named(name).unwrap().missing(|path| there.iter().any(|name| path.ends_with(name)));
        assert_eq!(missing("haproxy", &["nginx", "wrk"]), ["haproxy"]);
        assert_eq!(missing("haproxy", &["wrk"]), ["haproxy", "nginx-light"]);
        assert_eq!(missing("nginx", &["nginx"]), ["wrk"]);
        assert!(missing("y3-redact", &[]).is_empty());
    }
}
