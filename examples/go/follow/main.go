// Follows the events of an organization with connect-go, from where it was when it last ran. SVC_URL, SVC_TOKEN and
// SVC_CURSOR_FILE in the environment.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"connectrpc.com/connect"

	svcv2 "example.com/svc-client/gen/svc/v2"
	"example.com/svc-client/gen/svc/v2/svcv2connect"
)

func main() {
	client := svcv2connect.NewEventServiceClient(http.DefaultClient, os.Getenv("SVC_URL"))
	file := os.Getenv("SVC_CURSOR_FILE")
	stored, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	cursor := strings.TrimSpace(string(stored))
	for {
		cursor, err = follow(client, cursor, file)
		switch connect.CodeOf(err) {
		case connect.CodeInvalidArgument, connect.CodeOutOfRange, connect.CodePermissionDenied, connect.CodeUnauthenticated:
			log.Fatal(err)
		}
		if err != nil {
			time.Sleep(time.Second)
		}
	}
}

// follow prints the events of one watch, and returns where the next one continues.
func follow(client svcv2connect.EventServiceClient, cursor, file string) (string, error) {
	request := connect.NewRequest(&svcv2.WatchEventsRequest{Cursor: cursor})
	request.Header().Set("Authorization", "Bearer "+os.Getenv("SVC_TOKEN"))
	stream, err := client.WatchEvents(context.Background(), request)
	if err != nil {
		return cursor, err
	}
	defer stream.Close()
	for stream.Receive() {
		for _, event := range stream.Msg().GetData() {
			fmt.Println(event.GetPosition(), event.GetType(), event.GetSubject().GetId())
		}
		cursor = stream.Msg().GetNextCursor()
		// Whatever ends the program, the file has one cursor or the other.
		if err := os.WriteFile(file+".new", []byte(cursor), 0o600); err != nil {
			log.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			log.Fatal(err)
		}
	}
	return cursor, stream.Err()
}
