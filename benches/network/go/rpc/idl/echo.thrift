namespace go echo

struct Request {
    1: required binary body
}

struct Response {
    1: required binary body
}

service Echo {
    Response Echo(1: Request request)
}
