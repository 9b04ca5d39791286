// Reads a journey with connect-go. SVC_URL, SVC_TOKEN and SVC_JOURNEY in the environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	svcv2 "example.com/svc-client/gen/svc/v2"
	"example.com/svc-client/gen/svc/v2/svcv2connect"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	client := svcv2connect.NewJourneyServiceClient(http.DefaultClient, os.Getenv("SVC_URL"))
	request := connect.NewRequest(&svcv2.GetJourneyRequest{Id: os.Getenv("SVC_JOURNEY")})
	request.Header().Set("Authorization", "Bearer "+os.Getenv("SVC_TOKEN"))

	answer, err := client.GetJourney(ctx, request)
	if err != nil {
		var refused *connect.Error
		if errors.As(err, &refused) {
			for _, detail := range refused.Details() {
				message, valueErr := detail.Value()
				if valueErr != nil {
					continue
				}
				if info, ok := message.(*errdetails.ErrorInfo); ok {
					log.Fatalf("refused: %v (%s)", err, info.Reason)
				}
			}
		}
		log.Fatal(err)
	}
	journey := answer.Msg.GetData()
	fmt.Printf("%s: %s, %d%% done\n", journey.GetFriendlyIdentifier(), journey.GetName(), journey.GetProgressPercent())
}
