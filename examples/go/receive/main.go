// Receives webhooks: verifies each, and handles it once. WEBHOOK_SECRET is the secret of the endpoint.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// An event as the feed has it.
type event struct {
	Position string `json:"position"`
	Type     string `json:"type"`
	Subject  struct {
		ID string `json:"id"`
	} `json:"subject"`
}

// The ids that were handled: in your database, in the transaction of what you do.
var handled sync.Map

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
		if err != nil || webhook.Verify(body, request.Header) != nil {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := handle(request.Header.Get("webhook-id"), body); err != nil {
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}

// handle does what an event asks for, unless it has been done.
func handle(id string, body []byte) error {
	if _, isKnown := handled.LoadOrStore(id, true); isKnown {
		return nil
	}
	var envelope struct {
		Data event `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		handled.Delete(id)
		return err
	}
	fmt.Println(envelope.Data.Position, envelope.Data.Type, envelope.Data.Subject.ID)
	return nil
}
